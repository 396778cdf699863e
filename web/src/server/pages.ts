/**
 * What the pages of `xhprof serve` do beyond HTML: lists show new runs, charts say
 * the values under the pointer, slow parts come later. Without it all pages work.
 *
 * Rows and parts come from pages that the server made, so their text is escaped there.
 */

/** Milliseconds between two looks for new runs. */
const PAUSE = 4000;

/** Milliseconds for which a new run is marked. */
const MARKED = 6000;

async function pageAt(address: string): Promise<Document | null> {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Two chosen runs can be compared; a list with chosen runs stays as it is. */
class RunList {
  readonly #form: HTMLFormElement;
  readonly #status: HTMLElement | null;
  readonly #isLive: boolean;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#status = form.querySelector("[role=status]");
    this.#isLive = form.dataset["live"] !== undefined;
    form.addEventListener("change", () => this.#choose());
    this.#choose();
    if (this.#isLive) this.#wait();
  }

  #chosen(): number {
    return this.#form.querySelectorAll("input[name=run]:checked").length;
  }

  #choose(): void {
    const chosen = this.#chosen();
    const button = this.#form.querySelector("button");
    if (button) button.disabled = chosen !== 2;
    const live = this.#isLive ? "New runs appear here." : "";
    const paused = this.#isLive ? " No new runs appear until then." : "";
    this.#say(chosen === 0 ? live : chosen === 2 ? "" : `${chosen} chosen; choose two.${paused}`);
  }

  #say(text: string): void {
    if (this.#status && this.#status.textContent !== text) this.#status.textContent = text;
  }

  #wait(): void {
    setTimeout(() => {
      void this.#look().finally(() => this.#wait());
    }, PAUSE);
  }

  /** Takes the rows of the same page as it is now. */
  async #look(): Promise<void> {
    const isPaused = (): boolean => document.hidden || this.#chosen() > 0;
    if (isPaused()) return;
    const page = await pageAt(location.href).catch(() => null);
    const table = this.#form.querySelector("tbody");
    if (page === null || table === null || isPaused()) return;
    const known = new Set([...table.rows].map((row) => row.dataset["run"]));
    const rows = [...page.querySelectorAll<HTMLTableRowElement>("form[data-live] tbody tr")];
    const added = rows.filter((row) => !known.has(row.dataset["run"]));
    const place = table.firstChild;
    for (const row of added) {
      const copy = document.importNode(row, true);
      copy.classList.add("new");
      setTimeout(() => copy.classList.remove("new"), MARKED);
      table.insertBefore(copy, place);
    }
    // The list stays as long as the page that the server makes.
    while (added.length > 0 && table.rows.length > Math.max(rows.length, 10)) table.deleteRow(-1);
  }
}

/** Says the values under the pointer below the chart. */
function readout(chart: HTMLElement): void {
  const caption = chart.querySelector("figcaption");
  if (!caption) return;
  chart.addEventListener("pointerover", ({ target }) => {
    const title = target instanceof Element ? target.querySelector(":scope > title") : null;
    caption.textContent = title?.textContent ?? "";
  });
  chart.addEventListener("pointerleave", () => {
    caption.textContent = "";
  });
}

/** Puts the part of another page into the place of the link to it. */
async function load(place: HTMLElement): Promise<void> {
  const address = place.dataset["part"];
  if (address === undefined) return;
  const page = await pageAt(address).catch(() => null);
  const part = page?.getElementById("part");
  if (!part) return;
  place.append(...[...part.childNodes].map((node) => document.importNode(node, true)));
}

for (const form of document.querySelectorAll<HTMLFormElement>("form.runs")) new RunList(form);
for (const chart of document.querySelectorAll<HTMLElement>("figure.chart")) readout(chart);
for (const place of document.querySelectorAll<HTMLElement>("[data-part]")) void load(place);
