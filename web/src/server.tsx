/** Starts the app of `xhprof serve`: who is logged in, and the page of the address. */
import { render, type JSX } from "preact";
import { useEffect } from "preact/hooks";
import { sentence, takeSecret } from "./api/client";
import { readEarly } from "./api/early";
import type { Session } from "./api/generated";
import { useApi } from "./api/useApi";
import { ComparePage } from "./compare/ComparePage";
import { TreesPage } from "./compare/TreesPage";
import { TwoRunsPage } from "./compare/TwoRunsPage";
import { FunctionOfRunsPage } from "./functions/FunctionOfRunsPage";
import { HomePage } from "./home/HomePage";
import { LoginDialog } from "./login/LoginDialog";
import { LoginPage } from "./login/LoginPage";
import { ProfileNowPage } from "./profilenow/ProfileNowPage";
import { RegressionsPage } from "./regressions/RegressionsPage";
import { RoutePage } from "./routes/RoutePage";
import { RoutesPage } from "./routes/RoutesPage";
import { RunPage } from "./run/RunPage";
import { TreePage } from "./run/TreePage";
import { RunsPage } from "./runs/RunsPage";
import { SettingsPage } from "./settings/SettingsPage";
import { Page } from "./shell/Page";
import { decoded, followLinks, useUrl } from "./shell/router";
import { ServerProvider } from "./shell/server";
import { Shell } from "./shell/Shell";
import { Failed, Loading, Nothing } from "./shell/states";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/tables.css";
import "./styles/graphs/flame.css";
import "./styles/graphs/details.css";
import "./styles/graphs/sandwich.css";
import "./styles/graphs/callgraph.css";
import "./styles/graphs/narrow.css";
import "./styles/graphs/classes.css";
import "./styles/graphs/menus.css";
import "./styles/graphs/small.css";
import "./styles/pages.css";
import "./styles/server/frame.css";
import "./styles/server/figures.css";
import "./styles/server/tables.css";
import "./styles/server/charts.css";
import "./styles/server/runs.css";
import "./styles/server/states.css";
import "./styles/server/run.css";
import "./styles/server/search.css";
import "./styles/server/narrow.css";
import "./styles/forms.css";
import "./styles/team.css";
import "./styles/print.css";

function ServerApp(props: { problem: string | null }): JSX.Element {
  const url = useUrl();
  if (url.pathname === "/login") return <LoginPage />;
  return <WithSession url={url} problem={props.problem} />;
}

function WithSession(props: { url: URL; problem: string | null }): JSX.Element {
  const asked = useApi<Session>("/api/v1/session");
  const session = asked.answer;
  useEffect(() => {
    if (session !== null) takeSecret(session.csrf);
  }, [session]);
  // A demo stores its month while it is looked at.
  const isFilling = (session?.demo?.stored_days ?? null) !== null;
  const { again } = asked;
  useEffect(() => {
    if (!isFilling) return;
    const timer = setInterval(again, 5000);
    return () => {
      clearInterval(timer);
    };
  }, [isFilling, again]);
  return (
    <>
      <LoginDialog
        onSession={(next) => {
          takeSecret(next.csrf);
          again();
        }}
      />
      {asked.error ? (
        <Failed message={asked.error.message} again={again} />
      ) : session === null ? (
        <Loading />
      ) : (
        <ServerProvider value={session}>
          <Shell>{props.problem === null ? <View url={props.url} /> : <Problem text={props.problem} />}</Shell>
        </ServerProvider>
      )}
    </>
  );
}

function Problem(props: { text: string }): JSX.Element {
  return (
    <Page title="Not found">
      <Nothing title={sentence(props.text)}>
        <p>
          <a href="/">Home</a> · <a href="/runs">Runs</a>
        </p>
      </Nothing>
    </Page>
  );
}

function View(props: { url: URL }): JSX.Element {
  const { url } = props;
  const [, first = "", second = ""] = url.pathname.split("/");
  switch (first) {
    case "":
      return <HomePage url={url} />;
    case "runs":
      return <RunsPage url={url} />;
    case "run":
      return <RunPage id={decoded(second)} />;
    case "tree":
      return <TreePage url={url} />;
    case "routes":
      return <RoutesPage url={url} />;
    case "route":
      return <RoutePage url={url} />;
    case "function":
      return <FunctionOfRunsPage url={url} />;
    case "compare":
      return second === "runs" ? <TwoRunsPage /> : second === "tree" ? <TreesPage /> : <ComparePage />;
    case "regressions":
      return <RegressionsPage />;
    case "profile-now":
      return <ProfileNowPage />;
    case "settings":
      return <SettingsPage />;
    default:
      return <Problem text="There is no page at this address." />;
  }
}

const root = document.getElementById("app");
if (root) {
  const { problem } = root.dataset;
  followLinks();
  let isFirst = true;
  addEventListener("xhprof:moved", () => {
    // What the server said is about the address that was opened first.
    if (isFirst && problem !== undefined) location.reload();
    isFirst = false;
  });
  void readEarly().then(() => {
    root.replaceChildren();
    render(<ServerApp problem={problem ?? null} />, root);
  });
}
