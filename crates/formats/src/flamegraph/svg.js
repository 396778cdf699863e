// Zoom and search. Without it, as in an <img> or below a policy that forbids it, the picture is still.
(() => {
  "use strict";
  const root = document.documentElement;
  const [left, whole, row, letter] = [12, 1176, 18, 7];
  const graphs = [...document.querySelectorAll(".graph")].map((graph) =>
    [...graph.children].map((box) => {
      const [title, rect] = [box.querySelector("title"), box.querySelector("rect")];
      const [x, y, width] = ["x", "y", "width"].map((name) => Number(rect.getAttribute(name)));
      const line = title.textContent.split("\n")[0];
      return { box, rect, x, y, width, name: line.slice(0, line.lastIndexOf(" (")), text: box.querySelector("text") };
    }),
  );
  const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const html = (name) => document.createElementNS("http://www.w3.org/1999/xhtml", name);
  const fit = (name, width) => {
    const most = Math.floor((width - 6) / letter);
    const letters = Array.from(name);
    if (most < 3) return "";
    return letters.length <= most ? name : `${letters.slice(0, most - 1).join("")}…`;
  };
  const place = (part, x, width) => {
    const { box, rect } = part;
    box.style.display = "";
    rect.setAttribute("x", x);
    rect.setAttribute("width", width);
    const shown = fit(part.name, width);
    if (shown !== "" && !part.text) {
      part.text = svg("text");
      part.text.setAttribute("y", part.y + 13);
      box.append(part.text);
    }
    if (!part.text) return;
    part.text.setAttribute("x", x + 4);
    part.text.textContent = shown;
  };
  // A box of half a hundredth of a pixel is a box that was rounded.
  const slack = 0.02;
  const zoom = (boxes, to) => {
    const first = boxes[0];
    const depth = (part) => Math.abs(part.y - first.y) / row;
    const scale = whole / to.width;
    for (const part of boxes) {
      const isAbove = depth(part) <= depth(to) && part.x <= to.x + slack && part.x + part.width >= to.x + to.width - slack;
      const isBelow = depth(part) > depth(to) && part.x >= to.x - slack && part.x + part.width <= to.x + to.width + slack;
      part.box.classList.toggle("above", isAbove && depth(part) < depth(to));
      if (isAbove) place(part, left, whole);
      else if (isBelow) place(part, left + (part.x - to.x) * scale, part.width * scale);
      else part.box.style.display = "none";
    }
  };
  const isWhole = () => reset.style.visibility === "hidden";
  const showAll = () => {
    for (const boxes of graphs) if (boxes.length > 0) zoom(boxes, boxes[0]);
    reset.style.visibility = "hidden";
  };
  const search = (text) => {
    const wanted = text.trim().toLowerCase();
    let [found, sum, all] = [0, 0, 0];
    for (const boxes of graphs) {
      all += boxes[0]?.width ?? 0;
      // A box below another that was found is part of it.
      const parts = [];
      for (const part of boxes) {
        const isFound = wanted !== "" && part.name.toLowerCase().includes(wanted);
        part.box.classList.toggle("found", isFound);
        part.box.classList.toggle("unfound", wanted !== "" && !isFound);
        if (!isFound) continue;
        found += 1;
        parts.push([part.x, part.x + part.width]);
      }
      let end = -1;
      for (const [from, to] of parts.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
        sum += Math.max(0, to - Math.max(from, end));
        end = Math.max(end, to);
      }
    }
    const share = all > 0 ? ((100 * sum) / all).toFixed(1) : "0.0";
    result.textContent = wanted === "" ? "" : `${found} ${found === 1 ? "box" : "boxes"}, ${share}%`;
  };

  const frame = svg("foreignObject");
  for (const [name, value] of Object.entries({ x: 780, y: 8, width: 408, height: 34 })) frame.setAttribute(name, value);
  const tools = html("div");
  tools.className = "tools";
  const [reset, result, field] = [html("button"), html("output"), html("input")];
  reset.textContent = "Show all";
  reset.title = "Show the whole graph (0)";
  reset.addEventListener("click", showAll);
  field.type = "search";
  field.placeholder = "Search (/)";
  field.setAttribute("aria-label", "Search functions");
  field.addEventListener("input", () => search(field.value));
  tools.append(reset, result, field);
  frame.append(tools);
  root.append(frame);
  for (const boxes of graphs)
    for (const part of boxes) {
      part.box.style.cursor = "pointer";
      part.box.addEventListener("click", () => {
        zoom(boxes, part);
        reset.style.visibility = part === boxes[0] ? "hidden" : "visible";
      });
    }
  reset.style.visibility = "hidden";
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target === field;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !isTyping) field.focus();
    else if (event.key === "0" && !isTyping && !isWhole()) showAll();
    else if (event.key === "Escape" && isTyping) {
      field.value = "";
      search("");
      field.blur();
    } else if (event.key === "Escape" && !isWhole()) showAll();
    else return;
    event.preventDefault();
  });
})();
