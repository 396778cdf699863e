/** The text of a source file that is in the page. */
import { useEffect, useState } from "preact/hooks";
import { useSession } from "../app/session";

/** The text of a file: not read yet, or none. */
export function useText(path: string | null): string | null | undefined {
  const { texts } = useSession();
  const [read, setRead] = useState<{ path: string | null; texts: unknown; text: string | null }>();
  useEffect(() => {
    let isWanted = true;
    const put = (text: string | null): void => {
      if (isWanted) setRead({ path, texts, text });
    };
    if (path === null) put(null);
    else
      texts.read(path).then(put, () => {
        put(null);
      });
    return () => {
      isWanted = false;
    };
  }, [path, texts]);
  return read?.path === path && read.texts === texts ? read.text : undefined;
}
