/** A server without runs: three ways to get some. */
import type { JSX } from "preact";
import { CopyLine } from "../parts/CopyLine";
import { Panel } from "../shell/Page";

export function GettingStarted(): JSX.Element {
  const server = location.origin;
  return (
    <>
      <p class="lead">No run is stored yet. Three ways to get one:</p>
      <div class="columns-3">
        <Panel title="One command, now">
          <div class="body">
            <p>Profile a script, and send its profile:</p>
            <CopyLine label="A run of a script" text={"xhprof run -o run.xhp -- script.php"} />
            <CopyLine label="Sending it" text={`xhprof push run.xhp --to ${server}`} />
          </div>
        </Panel>
        <Panel title="Each tenth request of a server">
          <div class="body">
            <p>In php.ini, then restart php-fpm:</p>
            <CopyLine
              label="php.ini"
              text={"xhprof.auto_enable = 1\nxhprof.rate = 0.1\nxhprof.output_dir = /var/lib/xhprof\nxhprof.app = shop"}
            />
            <p>On the same machine, what sends them:</p>
            <CopyLine label="The agent" text={`xhprof agent --spool /var/lib/xhprof --to ${server}`} />
          </div>
        </Panel>
        <Panel title="One request, when you want it">
          <div class="body">
            <p>In php.ini:</p>
            <CopyLine
              label="php.ini for one request"
              text={"xhprof.auto_enable = trigger\nxhprof.trigger = XHPROF\nxhprof.trigger_secret = change-me"}
            />
            <p>
              Then <a href="/profile-now">Profile now</a> asks for a profile, waits for the run and opens it.
            </p>
          </div>
        </Panel>
      </div>
      <p class="muted">
        A server that was started with a token wants it in <code>--token-file</code> of <code>push</code> and{" "}
        <code>agent</code>.
      </p>
    </>
  );
}
