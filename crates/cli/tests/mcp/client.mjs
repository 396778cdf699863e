// The official client of the Model Context Protocol asks `xhprof mcp`, and finds the faults of
// examples/shop by following the answers: client.mjs PROGRAM SHOP FOLDER

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, shop, made] = process.argv.slice(2).map((file) => path.resolve(file));

// How many questions an assistant asks before it gives up.
const PATIENCE = 30;

const environment = (fault) => ({ ...process.env, SHOP_FAULT: fault });

function record(fault, requests, file) {
  const words = ["run", "-o", file, "--", "shop.php", String(requests)];
  execFileSync(program, words, { cwd: shop, env: environment(fault), stdio: "ignore" });
}

async function connected(words, fault = "") {
  const client = new Client({ name: "client.mjs", version: "1" });
  const transport = new StdioClientTransport({
    command: program,
    args: ["mcp", ...words],
    cwd: shop,
    env: environment(fault),
  });
  await client.connect(transport);
  // From now on the client checks answers against the schemas of this list.
  const { tools } = await client.listTools();
  const ask = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert(!result.isError, `${name} ${JSON.stringify(args)}: ${result.content[0].text}`);
    return result.structuredContent;
  };
  return { client, tools, ask };
}

// What a client can ask for besides tools.
async function checkProtocol(folder) {
  const { client, tools } = await connected([folder]);
  assert.equal(client.getServerVersion().name, "xhprof");
  assert(tools.every((tool) => tool.annotations.readOnlyHint));
  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    assert(contents[0].text.length > 50, uri);
  }
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
  for (const { name } of (await client.listPrompts()).prompts) {
    const { messages } = await client.getPrompt({ name });
    assert.equal(messages[0].role, "user");
  }
  await client.ping();
  const refused = await client.callTool({ name: "summary", arguments: { run: "../shop.php" } });
  assert(refused.isError);
  await assert.rejects(client.callTool({ name: "nothing", arguments: {} }), /there is no tool/);
  await client.close();
  console.log(`${tools.length} tools, ${resources.length} resources: as the SDK expects`);
}

// Asks what the answers say, the first suggestions first; returns all answers.
async function followed(ask, tools) {
  const start = tools.find((tool) => (tool.inputSchema.required ?? []).length === 0);
  const questions = [{ tool: start.name, arguments: {} }];
  const known = new Set();
  const answers = [];
  while (questions.length > 0 && answers.length < PATIENCE) {
    const question = questions.shift();
    const key = JSON.stringify([question.tool, question.arguments]);
    if (known.has(key)) continue;
    known.add(key);
    const data = await ask(question.tool, question.arguments);
    answers.push({ question, data });
    questions.push(...data.next);
  }
  return answers;
}

// The function of the project that a cost comes from: up the costliest callers.
async function ofProject(ask, run, name) {
  for (let step = 0; step < 10; step++) {
    const data = await ask("callers_and_callees", { run, function: name });
    const found = data.functions[0];
    if (found.file?.startsWith(shop + path.sep)) return found;
    name = data.callers[0]?.name;
    if (!name) break;
  }
  return undefined;
}

// What grew most, by calls if any did: they do not depend on the machine.
async function culprit(folder) {
  const { client, tools, ask } = await connected([folder]);
  const answers = await followed(ask, tools);
  let found;
  for (const metric of ["calls", "memory"]) {
    const differences = answers.find(({ data }) => data.base && data.metric === metric);
    assert(differences, `no answer suggests to compare ${metric}`);
    const of = (row) => (metric === "calls" ? row.inclusive.calls : row.self.memory_bytes);
    const grown = differences.data.functions.find((row) => of(row).change > 0);
    if (!grown) continue;
    found = await ofProject(ask, differences.question.arguments.new[0], grown.name);
    break;
  }
  await client.close();
  assert(found, "the answers lead nowhere");
  return `${found.name} (${path.relative(shop, found.file)}:${found.line})`;
}

// A command that the assistant runs itself: the N+1 is in the answers to what is suggested.
async function runsCommand(folder) {
  const { client, tools, ask } = await connected(["--allow-run", folder], "n+1");
  assert.equal(tools.find((tool) => tool.name === "run_command").annotations.readOnlyHint, false);
  const answer = await ask("run_command", { command: ["shop.php"] });
  const next = answer.next.find((question) => question.tool === "spans");
  const { spans } = await ask(next.tool, next.arguments);
  const callers = spans.flatMap((span) => span.n_plus_one.map((repeat) => repeat.caller));
  assert(callers.includes("Shop\\Articles::find"), JSON.stringify(callers));
  await client.close();
  console.log(`run_command: ${answer.ending}, and the N+1 is found`);
}

const line = (file, text) => {
  const lines = fs.readFileSync(path.join(shop, file), "utf8").split("\n");
  return lines.findIndex((candidate) => candidate.includes(text)) + 1;
};
const articles = `src/Articles.php:${line("src/Articles.php", "function find(")}`;
const cache = `src/PageCache.php:${line("src/PageCache.php", "function keep(")}`;

// The templates are compiled before anything is compared.
for (const fault of ["", "template"]) record(fault, 1, path.join(made, "first.xhp"));
for (const [fault, requests, expected] of [
  ["n+1", 1, `Shop\\Articles::find (${articles})`],
  ["template", 1, "twig::slow.html.twig (templates/slow.html.twig:1)"],
  ["leak", 50, `Shop\\PageCache::keep (${cache})`],
]) {
  const folder = path.join(made, fault);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  record("", requests, path.join(folder, "before.xhp"));
  record(fault, requests, path.join(folder, "after.xhp"));
  assert.equal(await culprit(folder), expected);
  console.log(`SHOP_FAULT=${fault}: ${expected}`);
}
await checkProtocol(path.join(made, "n+1"));
await runsCommand(path.join(made, "n+1"));
