/** Light or dark: as the system says, or as the reader chose. */
import { useEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";
const STORED = "xhprof-theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(STORED);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    // A page from a file may not be allowed to store anything.
    return "system";
  }
}

/** The theme that was chosen, how to choose another, and whether it is dark now. */
export function useTheme(): { theme: Theme; choose: (theme: Theme) => void; isDark: boolean } {
  const [theme, setTheme] = useState(stored);
  const [systemIsDark, setSystem] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const read = (): void => {
      setSystem(query.matches);
    };
    query.addEventListener("change", read);
    return () => {
      query.removeEventListener("change", read);
    };
  }, []);
  const isDark = theme === "dark" || (theme === "system" && systemIsDark);
  useEffect(() => {
    const set = (dark: boolean): void => {
      document.documentElement.dataset["theme"] = dark ? "dark" : "light";
    };
    const begin = (): void => {
      // Paper is white.
      set(false);
    };
    const end = (): void => {
      set(isDark);
    };
    set(isDark);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, [isDark]);
  const choose = (next: Theme): void => {
    setTheme(next);
    try {
      if (next === "system") localStorage.removeItem(STORED);
      else localStorage.setItem(STORED, next);
    } catch {
      // Then it holds until the page is closed.
    }
  };
  return { theme, choose, isDark };
}

/** Whether the page is dark now, for what is drawn on a canvas. */
export function useIsDark(): boolean {
  const [isDark, setDark] = useState(() => document.documentElement.dataset["theme"] === "dark");
  useEffect(() => {
    const read = (): void => {
      setDark(document.documentElement.dataset["theme"] === "dark");
    };
    read();
    const watcher = new MutationObserver(read);
    watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      watcher.disconnect();
    };
  }, []);
  return isDark;
}
