/** A menu at the pointer, or at what is selected: by mouse, keyboard and a long touch. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface MenuItem {
  readonly title: string;
  readonly key?: string;
  /** A link of its own, else an action. */
  readonly href?: string;
  readonly act?: () => void;
}

export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

export function ContextMenu(props: {
  title: string;
  at: MenuPlace;
  items: readonly MenuItem[];
  onClose: () => void;
}): JSX.Element {
  const { at, items, onClose } = props;
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(document.activeElement);
  const close = (): void => {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    element.style.left = `${Math.max(4, Math.min(at.x, innerWidth - element.offsetWidth - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(at.y, innerHeight - element.offsetHeight - 4))}px`;
  });
  useLayoutEffect(() => {
    frame.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const outside = (event: Event): void => {
      if (event.target instanceof Node && frame.current?.contains(event.target) === true) return;
      onClose();
    };
    addEventListener("pointerdown", outside, true);
    addEventListener("wheel", outside, { passive: true });
    addEventListener("resize", onClose);
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("wheel", outside);
      removeEventListener("resize", onClose);
    };
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const list = [...(frame.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const place = list.findIndex((item) => item === document.activeElement);
    const to = (next: number): void => list[(next + list.length) % list.length]?.focus();
    const act: Readonly<Record<string, () => void>> = {
      ArrowDown: () => {
        to(place + 1);
      },
      ArrowUp: () => {
        to(place - 1);
      },
      Home: () => {
        to(0);
      },
      End: () => {
        to(-1);
      },
      Escape: close,
      Tab: close,
    };
    // Keys of the graph below do nothing while the menu is open.
    event.stopPropagation();
    if (act[event.key] === undefined) return;
    act[event.key]?.();
    event.preventDefault();
  };
  return (
    <div
      class="context-menu"
      ref={frame}
      role="menu"
      tabIndex={-1}
      aria-label={`Menu of ${props.title}`}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        event.preventDefault();
      }}
    >
      <div class="context-title" aria-hidden="true">
        <bdi>{props.title}</bdi>
      </div>
      {items.map((item) =>
        item.href === undefined ? (
          <button
            key={item.title}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              close();
              item.act?.();
            }}
          >
            {item.title}
            {item.key === undefined ? null : <kbd>{item.key}</kbd>}
          </button>
        ) : (
          <a key={item.title} href={item.href} role="menuitem" tabIndex={-1} onClick={onClose}>
            {item.title}
          </a>
        ),
      )}
    </div>
  );
}
