/** The whole page: opens files, and shows the view that the address names. */
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAddress } from "./app/address";
import { chosenFiles, droppedFiles, type Dropped } from "./app/dropped";
import { FilesDialog, filesOf, type Picked } from "./app/FilesDialog";
import { HelpDialog } from "./app/HelpDialog";
import { isForeign } from "./app/keys";
import { asEngineError, SessionProvider, type Session } from "./app/session";
import { Header, Tabs } from "./app/Header";
import { lastPart, SourceTexts } from "./app/sources";
import { TABS } from "./app/state";
import { EngineError, type Engine } from "./engine/client";
import type { Embedded, EmbeddedSource } from "./engine/parts";
import { ComparePage } from "./pages/ComparePage";
import { FilePage } from "./pages/FilePage";
import { FunctionPage } from "./pages/FunctionPage";
import { FunctionsPage } from "./pages/FunctionsPage";
import { HintsPage } from "./pages/HintsPage";
import * as format from "./format";
import { GraphPage } from "./graph/GraphPage";
import { FlameView } from "./flame/FlameView";
import { OverviewPage } from "./pages/OverviewPage";
import { Reshaped } from "./parts/Reshaped";
import { SandwichPage } from "./pages/SandwichPage";
import { SourcePage } from "./pages/SourcePage";
import { SpansPage } from "./pages/SpansPage";
import { StartPage } from "./pages/StartPage";
import { TimePage } from "./time/TimePage";
import type { Summary } from "./types";

interface Opened {
  readonly document: number;
  readonly summary: Summary;
  readonly isComparison: boolean;
  readonly files: readonly Picked[];
}

export function App(props: {
  engine: Engine;
  /** The profiles that came with the page. */
  embedded: Embedded | null;
  sources: () => Promise<readonly EmbeddedSource[]>;
  title?: string | null;
  /** Whether the pages of a server are around it, with a head of their own. */
  isInShell?: boolean;
}): JSX.Element {
  const { engine, embedded, title = null, isInShell = false } = props;
  const [state, go] = useAddress();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [opening, setOpening] = useState<{ names: string; abort: AbortController } | null>(null);
  const [failure, setFailure] = useState<EngineError | null>(null);
  const [failed, setFailed] = useState<readonly Picked[]>([]);
  const [picked, setPicked] = useState<readonly Picked[] | null>(null);
  const [isHelp, setHelp] = useState(false);
  const [isDragged, setDragged] = useState(false);
  const [texts, setTexts] = useState(() => new SourceTexts());
  const input = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement & HTMLDivElement>(null);
  const documents = useRef(0);
  const wasStarted = useRef(false);

  const open = useCallback(
    async (wanted: readonly Picked[] | Embedded, threshold?: number) => {
      const abort = new AbortController();
      const isEmbedded = "load" in wanted;
      const names = isEmbedded ? wanted.names : wanted.map((file) => file.name);
      setPicked(null);
      setFailure(null);
      setOpening({ names: names.join(", "), abort });
      try {
        const files = isEmbedded ? await wanted.load() : wanted;
        setFailed(files);
        // What came with the page is of all that the files hold.
        const known = isEmbedded && threshold === undefined ? wanted.answers : undefined;
        const opening = engine.open(await filesOf(files), { signal: abort.signal, threshold, known });
        const early = known?.to({ ask: "summary" });
        if (early === undefined) await opening;
        const told = early ?? (await engine.ask({ ask: "summary" }));
        documents.current += 1;
        // The title that was given is that of the files that came with the page.
        const summary = documents.current === 1 && title !== null ? { ...told, title } : told;
        const isComparison = files.some((file) => file.isBase);
        // Numbers of functions and ranges are those of the file before.
        if (documents.current > 1) {
          const start = { page: isComparison ? ("compare" as const) : ("overview" as const) };
          go({
            ...start,
            metric: null,
            range: null,
            part: null,
            call: null,
            file: null,
            zoom: [],
            only: [],
            hidden: [],
            collapsed: [],
            selected: null,
            fn: null,
            estimate: false,
            hints: false,
            top: 0,
            row: null,
          });
        }
        setOpened({ document: documents.current, summary, isComparison, files });
        // The page can be read; what it does not know yet waits for the engine.
        setOpening(null);
        await opening;
      } catch (error) {
        const reason = asEngineError(error);
        if (!engine.isOpen) setOpened(null);
        if (!reason.isCancelled) setFailure(reason);
      } finally {
        setOpening(null);
      }
    },
    [engine, go, title],
  );

  // Before the first frame is drawn: the engine reads the profile at the same time.
  useLayoutEffect(() => {
    if (wasStarted.current) return;
    wasStarted.current = true;
    const isOpened = embedded === null ? Promise.resolve() : open(embedded);
    // After the profile: no view needs them before it is there.
    void isOpened.then(props.sources).then((sources) => {
      if (sources.length > 0) setTexts((dropped) => new SourceTexts(sources).with(dropped.all()));
    });
  }, [embedded, open]);

  const offer = useCallback(
    async (dropped: readonly Dropped[]) => {
      const names = opened === null ? new Set<string>() : await sourceNames(engine);
      const isSource = ({ path }: Dropped): boolean => names.has(lastPart(path));
      const sources = dropped.filter(isSource);
      if (sources.length > 0)
        setTexts((before) => before.with(sources.map(({ path, file }) => ({ path, text: file }))));
      // In a folder of sources there is much that is neither.
      const isFolder = dropped.some(({ path }) => path.includes("/"));
      const files = sources.length > 0 && isFolder ? [] : dropped.filter((one) => !isSource(one));
      if (files.length === 0) return;
      const picks = files.map(({ file }) => ({ name: file.name, isBase: false, blob: file }));
      if (opened !== null && files.every(({ path }) => /\.(php|phtml|inc|module|twig|tpl)$/i.test(path))) {
        setFailure(new EngineError("no-source", "No function of this profile is defined in a file of that name."));
      } else if (files.length > MOST_DROPPED) {
        const text = `${format.count(files.length)} files are too many for a page: xhprof merge DIRECTORY adds them up.`;
        setFailure(new EngineError("too-many", text));
      } else if (files.length === 1 && opened === null) void open(picks);
      // One file replaces what is open; several can be added up or compared.
      else setPicked(picks);
    },
    [engine, open, opened],
  );
  useFileInput(offer, setDragged);

  const page = state.page;
  useLayoutEffect(() => {
    // Keys work in the view at once, and screen readers start there.
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [page, opened?.document]);

  useEffect(() => {
    if (isInShell) return;
    document.title = opened ? `${opened.summary.title} – xhprof` : "xhprof";
  }, [opened, isInShell]);

  const chooseFiles = useCallback(() => input.current?.click(), []);
  const chooseFolder = useCallback(() => folder.current?.click(), []);
  const session = useMemo<Session | null>(() => {
    if (opened === null) return null;
    const { summary } = opened;
    const wanted = summary.metrics.find((metric) => metric === state.metric);
    return {
      engine,
      document: opened.document,
      summary,
      state,
      metric: wanted ?? summary.metrics[0] ?? "calls",
      unit: summary.unit,
      isComparison: opened.isComparison,
      isInShell,
      go,
      texts,
      chooseFiles,
      chooseFolder,
      reopen: (threshold) => void open(opened.files, threshold),
      chooseBase: () => {
        setPicked(opened.files);
      },
    };
  }, [opened, state, engine, go, open, texts, chooseFiles, chooseFolder, isInShell]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event)) return;
    const tab = TABS.find(({ key }) => key === event.key);
    if (tab && session) go({ page: tab.page, selected: null });
    else if (event.key === "?") setHelp(true);
    else if (event.key === "/") main.current?.querySelector<HTMLElement>("[data-search]")?.focus();
    else if (event.key === "Escape" && state.search !== "") go({ search: "" });
    else return;
    event.preventDefault();
  };

  // A page of the server has its own.
  const Main = isInShell ? "div" : "main";
  return (
    <div class={isInShell ? "app in-shell" : "app"}>
      {isInShell ? null : (
        <Header
          title={opened?.summary.title ?? null}
          onOpen={chooseFiles}
          onHelp={() => {
            setHelp(true);
          }}
        />
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          void offer(chosenFiles(event.currentTarget.files));
          event.currentTarget.value = "";
        }}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        data-folder=""
        {...{ webkitdirectory: true }}
        onChange={(event) => {
          void offer(chosenFiles(event.currentTarget.files));
          event.currentTarget.value = "";
        }}
      />
      {session ? (
        <SessionProvider value={session}>
          <Tabs />
        </SessionProvider>
      ) : null}
      {failure ? (
        <div class="failure" role="alert">
          <Failure
            failure={failure}
            onThreshold={(threshold) => {
              void open(failed, threshold);
            }}
          />
          <button
            type="button"
            aria-label="Close the message"
            onClick={() => {
              setFailure(null);
            }}
          >
            ✕
          </button>
        </div>
      ) : null}
      {opening ? (
        <div class="opening" role="status">
          <div class="progress" aria-hidden="true" />
          <span>
            Opening <bdi>{opening.names.slice(0, 200)}</bdi>…
          </span>
          <button
            type="button"
            onClick={() => {
              opening.abort.abort();
            }}
          >
            Cancel
          </button>
        </div>
      ) : null}
      <Main ref={main} tabIndex={-1} onKeyDown={onKeyDown} class={`view page-${page}`}>
        {session ? (
          <SessionProvider value={session}>
            <Reshaped />
            <View key={`${session.document}`} page={page} />
          </SessionProvider>
        ) : opening || (embedded !== null && !wasStarted.current) ? null : (
          <StartPage
            onOpen={chooseFiles}
            embedded={embedded && { names: embedded.names, onOpen: () => void open(embedded) }}
          />
        )}
      </Main>
      {isDragged ? (
        <div class="drop-sheet">Drop profiles to open them{session ? ", or source files to see them" : ""}</div>
      ) : null}
      {picked ? (
        <FilesDialog
          files={picked}
          openFiles={opened?.files ?? []}
          onOpen={(files) => void open(files)}
          onMore={chooseFiles}
          onClose={() => {
            setPicked(null);
          }}
        />
      ) : null}
      {isHelp ? (
        <HelpDialog
          onClose={() => {
            setHelp(false);
            main.current?.focus({ preventScroll: true });
          }}
        />
      ) : null}
    </div>
  );
}

function View(props: { page: Session["state"]["page"] }): JSX.Element {
  switch (props.page) {
    case "overview":
      return <OverviewPage />;
    case "flame":
      return <FlameView />;
    case "time":
      return <TimePage />;
    case "sandwich":
      return <SandwichPage />;
    case "functions":
      return <FunctionsPage />;
    case "function":
      return <FunctionPage />;
    case "graph":
      return <GraphPage />;
    case "spans":
      return <SpansPage />;
    case "hints":
      return <HintsPage />;
    case "source":
      return <SourcePage />;
    case "compare":
      return <ComparePage />;
    case "file":
      return <FilePage />;
  }
}

/** More profiles than anyone picks by hand; their bytes are all held in the page. */
const MOST_DROPPED = 200;

/** The names of the files that the functions of the open profile are in. */
async function sourceNames(engine: Engine): Promise<ReadonlySet<string>> {
  try {
    const { files } = await engine.ask({ ask: "sources" });
    return new Set(files.map((file) => lastPart(file.name)));
  } catch {
    return new Set();
  }
}

/** What went wrong, and what to do about it. */
function Failure(props: { failure: EngineError; onThreshold: (threshold: number) => void }): JSX.Element {
  const { code, message, threshold } = props.failure;
  const title =
    code === "engine-stopped"
      ? "The engine stopped."
      : code === "too-large"
        ? "Too large for this page."
        : "The file was not opened.";
  return (
    <div>
      <strong>{title}</strong> <bdi>{message.slice(0, 2_000)}</bdi>
      {threshold === undefined ? null : (
        <p class="actions">
          <button
            type="button"
            onClick={() => {
              props.onThreshold(threshold);
            }}
          >
            Open without what cost less than {threshold} %
          </button>
          <span>
            or make it smaller with the program: <code>xhprof convert IN --threshold {threshold} -o small.xhp</code>
          </span>
        </p>
      )}
    </div>
  );
}

/** Files that are dropped anywhere, or pasted. */
function useFileInput(offer: (dropped: readonly Dropped[]) => Promise<void>, setDragged: (is: boolean) => void): void {
  // At once: a file must not be offered to what was open before.
  useLayoutEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDragged(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent): void => {
      setDragged(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      void droppedFiles(event.dataTransfer).then(offer);
    };
    const paste = (event: ClipboardEvent): void => {
      const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "file";
      if (isTyping) return;
      const files = chosenFiles(event.clipboardData?.files);
      const text = event.clipboardData?.getData("text/plain") ?? "";
      // Stacks and JSON are text.
      if (files.length === 0 && text !== "") files.push({ path: "pasted text", file: new File([text], "pasted text") });
      if (files.length > 0) event.preventDefault();
      void offer(files);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, [offer, setDragged]);
}
