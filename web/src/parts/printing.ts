/** Whether the page is being printed: then what is out of view is drawn, too. */
import { useEffect, useState } from "preact/hooks";

export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => {
      setPrinting(true);
    };
    const end = (): void => {
      setPrinting(false);
    };
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}
