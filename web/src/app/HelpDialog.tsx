/** What the keys do. */
import type { JSX } from "preact";
import { useModal } from "./FilesDialog";
import { KEYS, PAGE_KEYS } from "./keys";

/** Of the viewer, or of the server's pages, which have fewer keys. */
export function HelpDialog(props: { isOfPages?: boolean; onClose: () => void }): JSX.Element {
  const { ref } = useModal(props.onClose);
  return (
    <dialog ref={ref} class="dialog help" aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <p class="muted">
        {props.isOfPages
          ? "A run has keys of its own: open one, and press ? there."
          : "They work while a view has the focus: click into it, or press Tab until it is framed."}
      </p>
      <div class="help-grid">
        {(props.isOfPages ? PAGE_KEYS : KEYS).map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl class="keys">
              {group.keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="dialog-actions">
        <span class="grow" />
        <button type="button" class="primary" onClick={() => ref.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
