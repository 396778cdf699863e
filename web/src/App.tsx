import { useEffect, useState } from "preact/hooks";

import type { Engine } from "./engine/client";
import type { AnswerOf, FileToOpen } from "./engine/protocol";

/** The whole page. */
export function App({ engine, files }: { engine: Engine; files: FileToOpen[] }) {
  const [summary, setSummary] = useState<AnswerOf<{ ask: "summary" }>>();
  const [table, setTable] = useState<AnswerOf<{ ask: "functions" }>>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const open = async () => {
      await engine.open(files);
      setSummary(await engine.ask({ ask: "summary" }));
      setTable(await engine.ask({ ask: "functions", rows: 100 }));
    };
    if (files.length > 0) open().catch((reason: unknown) => setError(String(reason)));
  }, [engine, files]);
  if (error) return <p role="alert">{error}</p>;
  return (
    <main>
      <h1>{summary?.title}</h1>
      <table>
        <tbody>
          {table?.rows.map((row) => (
            <tr key={row.function}>
              <td>{row.name}</td>
              <td>{row.own.wall}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}
