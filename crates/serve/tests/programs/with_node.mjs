// Works under the client of Pyroscope for some seconds: with_node.mjs ADDRESS TOKEN.
import { createRequire } from "node:module";

const loaded = createRequire(process.cwd() + "/")("@pyroscope/nodejs");
const Pyroscope = loaded.default ?? loaded;
const [address, token] = process.argv.slice(2);

Pyroscope.init({
  serverAddress: address,
  appName: "node-client",
  authToken: token,
  flushIntervalMs: 3000,
  tags: { release: "7", hostname: "web1" },
  wall: { collectCpuTime: true },
});
Pyroscope.startWallProfiling();

function busy(milliseconds) {
  let count = 0;
  for (const end = Date.now() + milliseconds; Date.now() < end;) count += Math.sqrt(count);
  return count;
}
for (let round = 0; round < 12; round++) {
  busy(500);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await Pyroscope.stopWallProfiling();
