// Zoom, search and keyboard control of a flame graph that is opened as a file.
"use strict";
{
  const MARGIN = 12;
  const ROW = 18;
  const LETTER = 7;
  // In narrower windows the controls are above the title.
  const NARROW = 820;
  const CONTROLS = 350;
  const root = document.documentElement;
  const { width: drawn, height } = root.viewBox.baseVal;
  const base = drawn - 2 * MARGIN;
  // The width of the graphs: that of the window.
  let full = base;
  const details = document.getElementById("details");

  // The boxes of the picture, with their positions in hundredths of the total.
  const graphs = [...document.querySelectorAll(".graph")].map((group) => {
    const boxes = [...group.children].map((element) => {
      const [title, rect, text] = element.children;
      const number = (name) => Number(rect.getAttribute(name));
      const lines = title.textContent;
      return { element, rect, text, lines, name: lines.slice(0, lines.lastIndexOf(" (", lines.indexOf("\nself "))), x: number("x") - MARGIN, y: number("y"), width: number("width") };
    });
    const rows = boxes.map((box) => box.y);
    return { boxes, top: Math.min(...rows), bottom: Math.max(...rows), zoomed: boxes[0] };
  });
  const all = graphs.flatMap((graph) => graph.boxes.map((box) => Object.assign(box, { graph })));
  const byElement = new Map(all.map((box) => [box.element, box]));
  // Boxes are rounded to hundredths of a pixel, neighbours to the same one.
  const within = (one, other) => one.x >= other.x - 0.005 && one.x + one.width <= other.x + other.width + 0.005;
  const depth = (box) => (root.classList.contains("flame") ? box.graph.bottom - box.y : box.y - box.graph.top);

  // Shortens a text in the middle to the available width.
  function fit(element, text, room) {
    element.textContent = text;
    let letters = [...text];
    for (let tries = 0; tries < 8 && letters.length > 2 && element.getComputedTextLength() > room; tries += 1) {
      const left = Math.max(2, Math.floor((letters.length * room) / element.getComputedTextLength()) - 2);
      const half = Math.ceil(left / 2);
      letters = [...letters.slice(0, half), ...letters.slice(letters.length - (left - half))];
      element.textContent = letters.slice(0, half).join("") + "…" + letters.slice(half).join("");
    }
  }

  let said = "";
  const say = (text) => {
    said = text;
    fit(details, text, full);
  };
  const HINT = "Click a box to zoom, point at it for its costs; arrow keys and Enter do the same.";
  const describe = (box) => say(box ? box.lines.replace(/\n/g, "  ·  ") : HINT);

  const wide = (letter) => (letter >= "\u1100" ? 2 : 1);
  function fitting(name, room) {
    if (room < 3) return "";
    const columns = (text) => [...text].reduce((sum, letter) => sum + wide(letter), 0);
    if (columns(name) <= room) return name;
    const end = name.indexOf("::");
    const short = name.slice(name.lastIndexOf("\\", end < 0 ? name.length : end) + 1) || name;
    if (columns(short) <= room) return short;
    let cut = "";
    let left = room - 1;
    for (const letter of short) {
      left -= wide(letter);
      if (left < 0) break;
      cut += letter;
    }
    return cut + "…";
  }

  function place(box, x, width) {
    box.rect.setAttribute("x", x + MARGIN);
    box.rect.setAttribute("width", width);
    box.element.classList.toggle("w", width >= 3);
    const label = fitting(box.name, Math.floor((width - 6) / LETTER));
    if (label && !box.text) {
      box.text = document.createElementNS(root.namespaceURI, "text");
      box.text.setAttribute("y", box.y + 13);
      box.element.append(box.text);
    }
    if (box.text) {
      box.text.textContent = label;
      box.text.setAttribute("x", x + MARGIN + 4);
    }
  }

  function zoom(box) {
    const { graph } = box;
    const scale = full / box.width;
    graph.zoomed = box;
    for (const other of graph.boxes) {
      const isAbove = depth(other) < depth(box) && within(box, other);
      const isShown = isAbove || (depth(other) >= depth(box) && within(other, box));
      other.element.classList.toggle("hidden", !isShown);
      other.element.classList.toggle("above", isAbove);
      if (isAbove) place(other, 0, full);
      else if (isShown) place(other, (other.x - box.x) * scale, other.width * scale);
    }
    reset.classList.toggle("hidden", graphs.every((each) => each.zoomed === each.boxes[0]));
    keep();
  }

  function search(text) {
    field.value = text;
    let matches = null;
    const pattern = /^\/(.+)\/(i?)$/.exec(text.trim());
    const plain = text.trim().toLowerCase();
    try {
      const expression = pattern && new RegExp(pattern[1], pattern[2]);
      matches = expression ? (name) => expression.test(name) : plain ? (name) => name.toLowerCase().includes(plain) : null;
    } catch {
      say("not a regular expression yet");
    }
    let width = 0;
    let boxes = 0;
    for (const graph of graphs) {
      // Outer boxes first: what is within one that matches is not counted again.
      let counted = [];
      for (const box of graph.boxes) {
        const isFound = matches !== null && matches(box.name);
        box.element.classList.toggle("found", isFound);
        if (!isFound) continue;
        boxes += 1;
        counted = counted.filter((other) => other.x + other.width > box.x + 0.005);
        if (counted.some((other) => depth(other) < depth(box) && within(box, other))) continue;
        counted.push(box);
        width += box.width;
      }
    }
    root.classList.toggle("searching", matches !== null);
    // Sums of memory that was taken and given back have no shares.
    const share = root.classList.contains("signed") ? "" : `: ${((100 * width) / (base * graphs.length)).toFixed(2)}%`;
    if (matches) say(`${boxes} ${boxes === 1 ? "box matches" : "boxes match"}${share}`);
    else if (!pattern) say(HINT);
    keep();
  }

  function flip() {
    root.classList.toggle("flame");
    root.classList.toggle("icicle");
    for (const box of all) {
      box.y = box.graph.top + box.graph.bottom - box.y;
      box.rect.setAttribute("y", box.y);
      if (box.text) box.text.setAttribute("y", box.y + 13);
    }
  }

  // The address holds the state.
  function keep() {
    const parts = new URLSearchParams();
    graphs.forEach((graph, number) => {
      if (graph.zoomed !== graph.boxes[0]) parts.append("zoom", `${number}.${graph.boxes.indexOf(graph.zoomed)}`);
    });
    if (field.value) parts.set("search", field.value);
    try {
      history.replaceState(null, "", parts.toString() ? `#${parts}` : location.pathname + location.search);
    } catch {
      // Some viewers do not support addresses.
    }
  }

  function button(label, right, act) {
    const text = document.createElementNS(root.namespaceURI, "text");
    text.textContent = label;
    text.setAttribute("class", "button");
    text.setAttribute("text-anchor", "end");
    text.dataset.right = right;
    text.setAttribute("tabindex", 0);
    text.setAttribute("role", "button");
    text.addEventListener("click", act);
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") act();
    });
    root.append(text);
    return text;
  }

  const frame = document.createElementNS(root.namespaceURI, "foreignObject");
  const field = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
  for (const [name, value] of Object.entries({ width: 220, height: 28 })) frame.setAttribute(name, value);
  for (const [name, value] of Object.entries({ type: "search", class: "field", placeholder: "Search: text or /regex/", "aria-label": "Search functions" })) field.setAttribute(name, value);
  frame.append(field);
  root.append(frame);
  const resetAll = () => {
    graphs.forEach((graph) => zoom(graph.boxes[0]));
    describe(null);
  };
  const reset = button("Reset zoom", 284, resetAll);
  button("Flip", 240, flip);
  root.classList.add("live");
  describe(null);

  // The picture is as wide as the window, and letters keep their size.
  const heading = root.querySelector(".title");
  const name = root.querySelector("title").textContent;
  const notes = [...root.querySelectorAll("svg > .note")].map((element) => [element, element.textContent]);
  function layout() {
    const width = Math.max(320, innerWidth);
    const isNarrow = width < NARROW;
    const above = isNarrow ? 34 : 0;
    full = width - 2 * MARGIN;
    root.setAttribute("width", width);
    root.setAttribute("height", height + above);
    root.setAttribute("viewBox", `0 ${-above} ${width} ${height + above}`);
    for (const text of root.querySelectorAll(".button")) {
      text.setAttribute("x", MARGIN + full - text.dataset.right);
      text.setAttribute("y", 28 - above);
    }
    frame.setAttribute("x", MARGIN + full - 220);
    frame.setAttribute("y", 10 - above);
    fit(heading, name, isNarrow ? full : full - CONTROLS);
    for (const [element, text] of notes) fit(element, text, full + MARGIN - Number(element.getAttribute("x")));
    say(said);
    for (const graph of graphs) if (graph.boxes.length) zoom(graph.zoomed);
  }
  addEventListener("resize", layout);

  field.addEventListener("input", () => search(field.value));
  for (const box of all) box.element.setAttribute("tabindex", -1);
  if (graphs[0]) graphs[0].boxes[0].element.setAttribute("tabindex", 0);
  const boxOf = (event) => byElement.get(event.target.closest(".graph > g"));
  root.addEventListener("click", (event) => {
    const box = boxOf(event);
    if (box) zoom(box);
  });
  root.addEventListener("mouseover", (event) => {
    const box = boxOf(event);
    if (box) describe(box);
  });
  root.addEventListener("focusin", (event) => {
    const box = boxOf(event);
    if (box) describe(box);
  });

  // Arrow keys go to the next box that can be seen: out, in, or beside.
  function neighbour(box, key) {
    const shown = box.graph.boxes.filter((other) => !other.element.classList.contains("hidden"));
    const inwards = root.classList.contains("flame") ? "ArrowUp" : "ArrowDown";
    const level = (step) => shown.filter((other) => depth(other) === depth(box) + step * ROW);
    if (key === "ArrowLeft") return level(0).filter((other) => other.x < box.x).pop();
    if (key === "ArrowRight") return level(0).find((other) => other.x > box.x);
    if (key === inwards) return level(1).filter((other) => within(other, box)).sort((one, other) => other.width - one.width)[0];
    return level(-1).find((other) => within(box, other));
  }
  root.addEventListener("keydown", (event) => {
    const box = event.target === field ? null : boxOf(event);
    if ((event.ctrlKey || event.metaKey) && event.key === "f" && document.activeElement !== field) field.select();
    else if (event.key === "Escape" && event.target === field) search("");
    else if (event.key === "Escape") resetAll();
    else if (box && (event.key === "Enter" || event.key === " ")) zoom(box);
    else if (box && event.key.startsWith("Arrow")) neighbour(box, event.key)?.element.focus();
    else return;
    event.preventDefault();
  });

  const address = new URLSearchParams(location.hash.slice(1));
  layout();
  for (const place of address.getAll("zoom")) {
    const [graph, box] = place.split(".").map(Number);
    if (graphs[graph]?.boxes[box]) zoom(graphs[graph].boxes[box]);
  }
  if (graphs.length) reset.classList.toggle("hidden", graphs.every((each) => each.zoomed === each.boxes[0]));
  if (address.get("search")) search(address.get("search"));
}
