/** Lines to copy: a command, a header, a setting. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function CopyLine(props: { label: string; text: string }): JSX.Element {
  const [told, setTold] = useState("");
  useEffect(() => {
    if (told === "") return;
    const timer = setTimeout(() => {
      setTold("");
    }, 3000);
    return () => {
      clearTimeout(timer);
    };
  }, [told]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      setTold("Copied");
    } catch {
      // Without HTTPS a browser gives no clipboard.
      setTold("Select the text to copy it");
    }
  };
  return (
    <div class="copy-line">
      <pre tabIndex={0} aria-label={props.label}>
        <code>{props.text}</code>
      </pre>
      <button type="button" aria-label={`Copy: ${props.label}`} onClick={() => void copy()}>
        {told === "Copied" ? "Copied" : "Copy"}
      </button>
      <span class="sr-only" role="status">
        {told}
      </span>
    </div>
  );
}
