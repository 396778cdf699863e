// Shared by all pages: elements, and formatted numbers.

/** An element. Children that are no elements become text, never markup. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A count with thousands separators. */
function count(value) {
  const [whole, part] = String(value).replace("-", "").split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
  return (value < 0 ? "−" : "") + apart;
}

const SCALES = { ns: ["ns", "µs", "ms", "s"], bytes: ["B", "kB", "MB", "GB", "TB"] };

/** A cost with its unit: three significant digits. */
function amount(value, unit) {
  const units = SCALES[unit];
  if (!units) return count(Math.round(value));
  let size = Math.abs(value);
  let scale = 0;
  while (size >= 999.5 && scale < units.length - 1) {
    size /= 1000;
    scale += 1;
  }
  const digits = scale === 0 ? (size < 10 && size % 1 ? 1 : 0) : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return (value < 0 ? "−" : "") + count(size.toFixed(digits)) + " " + units[scale];
}

/** A share. */
function percent(part, whole) {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  const text = Math.abs(share) >= 99.995 ? share.toFixed(0) : share.toFixed(Math.abs(share) < 9.995 ? 2 : 1);
  return (/^-0\.?0*$/.test(text) ? text.slice(1) : text.replace("-", "−")) + "%";
}

/** A change, with its sign. */
function change(value, unit) {
  return value > 0 ? "+" + amount(value, unit) : amount(value, unit);
}

/** `Bar::baz` of `App\Foo\Bar::baz`. */
function withoutNamespace(name) {
  const end = name.indexOf("::");
  const start = name.lastIndexOf("\\", end < 0 ? name.length : end);
  return name.slice(start + 1) || name;
}

/** The file and line of a function; empty if unknown. */
function place(functions, symbol) {
  const file = functions.files[functions.file[symbol]];
  if (!file) return functions.internal[symbol] ? "PHP itself or an extension" : "";
  return functions.line[symbol] ? file + ":" + functions.line[symbol] : file;
}

/**
 * What a search looks for: `/a|b/` is a regular expression, anything else is
 * taken as it is, whatever the case. None if there is nothing to look for, or
 * the expression is not finished.
 */
function matcher(text) {
  const pattern = /^\/(.+)\/(i?)$/.exec(text);
  if (pattern) {
    try {
      const expression = new RegExp(pattern[1], pattern[2]);
      return (name) => expression.test(name);
    } catch {
      return null;
    }
  }
  const plain = text.toLowerCase();
  return plain ? (name) => name.toLowerCase().includes(plain) : null;
}

const darkScheme = matchMedia("(prefers-color-scheme: dark)");
