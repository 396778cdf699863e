// One page of profiles, as `xhprof html` makes it, from the newest bundles:
// `npm run build && node preview.mjs PROFILE… > page.html`. `SOURCES` names a
// JSON file of source texts: `[{"path": …, "text": …}]`.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const at = (path) => new URL(path, import.meta.url);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const base64 = (path) => readFileSync(path).toString("base64");
const style = readFileSync(at("../target/web/page.css"), "utf8");
const script = readFileSync(at("../target/web/page.js"), "utf8");
const boot = readFileSync(at("boot.js"), "utf8");
const part = (attributes, text) => `<script type="application/octet-stream" ${attributes}>${text}</script>`;
const values = {
  policy:
    `default-src 'none'; script-src ${hash(boot)} ${hash(script)} 'wasm-unsafe-eval'; worker-src blob:; ` +
    `style-src ${hash(style)}; img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'`,
  title: "Profile",
  options: "",
  style,
  boot,
  noscript: "<p>This page needs JavaScript.</p>",
  page: part('data-part="page" data-packed="gzip"', gzipSync(script, { level: 9 }).toString("base64")),
  parts: [
    part('data-part="worker" data-packed="gzip"', base64(at("dist/worker.js.gz"))),
    part('data-part="engine" data-packed="gzip"', base64(at("dist/engine.wasm.gz"))),
    ...process.argv
      .slice(2)
      .map((path, place) =>
        part(
          `data-part="profile" data-file="${place}" data-name="${basename(path).replaceAll(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`)}"`,
          base64(path),
        ),
      ),
    ...(process.env.SOURCES ? [part('data-part="sources"', base64(process.env.SOURCES))] : []),
  ].join("\n"),
};
const template = readFileSync(at("page.html"), "utf8");
process.stdout.write(template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]));
