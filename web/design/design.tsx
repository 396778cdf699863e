/** The parts of DESIGN.md with the components of the pages. `npm run design` shows it; no bundle has it. */
import { render, type JSX } from "preact";
import type { Compared } from "../src/api/generated";
import { useTheme } from "../src/app/theme";
import { codeFill } from "../src/canvas/colours";
import { Chart } from "../src/chart/Chart";
import { Spark } from "../src/chart/Spark";
import * as format from "../src/format";
import { PALETTE } from "../src/generated/palette";
import { Change } from "../src/parts/Change";
import { CopyLine } from "../src/parts/CopyLine";
import { ShareBar } from "../src/parts/ShareBar";
import { Page, Panel, Tag } from "../src/shell/Page";
import { Failed, Loading, Nothing, TooFew } from "../src/shell/states";
import "../src/styles/base.css";
import "../src/styles/shell.css";
import "../src/styles/tables.css";
import "../src/styles/graphs.css";
import "../src/styles/pages.css";
import "../src/styles/server.css";
import "../src/styles/forms.css";
import "../src/styles/team.css";

const SIZES = ["0.88rem", "1rem", "1.1rem", "1.35rem", "1.6rem"];
const GROUNDS = ["ground", "paper", "panel", "raised", "tint", "warn", "error", "bar", "found"];
const INKS = ["text", "muted", "accent", "more", "less", "good", "bad", "user", "vendor", "internal"];
const TIMES = Array.from({ length: 48 }, (_, hour) => 1.79e9 + hour * 3600);
const CHANGES: readonly Compared[] = [
  { before: 100, now: 141, change: 0.41, verdict: "worse" },
  { before: 100, now: 80, change: -0.2, verdict: "better" },
  { before: 100, now: 102, change: 0.02, verdict: "same" },
  { before: 100, now: 141, change: 0.41, verdict: "unknown" },
];

function Design(): JSX.Element {
  const { choose, isDark } = useTheme();
  const wave = (height: number): number[] => TIMES.map((_, hour) => height * (2 + Math.sin(hour / 4)) * 1e6);
  return (
    <Page
      title="Design"
      actions={
        <button
          type="button"
          onClick={() => {
            choose(isDark ? "light" : "dark");
          }}
        >
          {isDark ? "Light" : "Dark"}
        </button>
      }
    >
      <Panel title="Type">
        <div class="body">
          {SIZES.map((size) => (
            <p key={size} style={{ fontSize: size }}>
              {size} Requests a minute 1,234 <code>Cache::get</code>
            </p>
          ))}
        </div>
      </Panel>
      <Panel title="Colours">
        <div class="body">
          {GROUNDS.map((ground) => (
            <p key={ground} style={{ background: `var(--${ground})`, padding: "0.5rem" }}>
              <b>{ground}</b>{" "}
              {INKS.map((ink) => (
                <span key={ink} style={{ color: `var(--${ink})` }}>
                  {ink}{" "}
                </span>
              ))}
            </p>
          ))}
          <p>
            {PALETTE.light.map((_, colour) => (
              <span
                key={colour}
                style={{ background: codeFill(colour, isDark), display: "inline-block", padding: "0 0.35rem" }}
              >
                {colour}
              </span>
            ))}
          </p>
        </div>
      </Panel>
      <ul class="cards">
        {CHANGES.map((compared) => (
          <li key={compared.verdict} class="card">
            <div class="label">p95</div>
            <div class="figure">{format.time((compared.now ?? 0) * 1e6)}</div>
            <div class="delta">
              <Change compared={compared} />
            </div>
            <Spark values={wave(1)} />
          </li>
        ))}
      </ul>
      <Panel title="Chart">
        <Chart
          title="Response time"
          times={TIMES}
          text={format.time}
          marks={[{ time: TIMES[24] ?? 0, label: "4.7.0" }]}
          lines={[
            { label: "p50", colour: "--line-2", values: wave(10) },
            { label: "p95", colour: "--accent", values: wave(20), isBold: true },
            { label: "p99", colour: "--line-3", values: wave(30) },
          ]}
        />
      </Panel>
      <Panel title="Table" note="numbers at the end, names cut">
        <table>
          <thead>
            <tr>
              <th>Route</th>
              <th>Share</th>
              <th class="n">Time</th>
              <th class="n">Memory</th>
              <th class="n">Number</th>
            </tr>
          </thead>
          <tbody>
            {[5, 0.5, 0.0001].map((share) => (
              <tr key={share}>
                <td class="mono clip">{`/a/route/whose/name/is/longer/than/its/column/${share}`.repeat(2)}</td>
                <td>
                  <ShareBar share={share / 10} />
                </td>
                <td class="n">{format.time(share * 1e8)}</td>
                <td class="n">{format.bytes(share * 1e8)}</td>
                <td class="n">{format.count(share * 1e4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      <Panel title="States" actions={<Tag kind="bad">slower</Tag>}>
        <Loading />
        <Nothing title="No run is stored yet.">
          <CopyLine label="Send a run" text="xhprof push run.xhp" />
        </Nothing>
        <div class="body">
          <TooFew runs={[3, 14]} needed={20} />
          <Failed message="The server does not answer." again={() => undefined} />
        </div>
      </Panel>
    </Page>
  );
}

const root = document.getElementById("app");
if (root) render(<Design />, root);
