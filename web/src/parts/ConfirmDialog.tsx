/** Asks before something that cannot be taken back. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export function ConfirmDialog(props: {
  title: string;
  /** The button that does it: a verb. */
  action: string;
  /** The button that does nothing. */
  keep: string;
  isBusy?: boolean;
  error?: string | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Enter must not do it by chance.
    keep.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="confirm-dialog"
      aria-labelledby="confirm-title"
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === dialog.current) props.onClose();
      }}
    >
      <h2 id="confirm-title">{props.title}</h2>
      {props.children}
      {props.error ? (
        <p class="field-error" role="alert">
          {props.error}
        </p>
      ) : null}
      <p class="buttons">
        <button type="button" class="danger" disabled={props.isBusy === true} onClick={props.onConfirm}>
          {props.action}
        </button>
        <button type="button" ref={keep} onClick={props.onClose}>
          {props.keep}
        </button>
      </p>
    </dialog>
  );
}
