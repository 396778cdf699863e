/** Colours for source text: PHP and languages like it, line by line. */

export type TokenKind = "comment" | "string" | "keyword" | "variable" | "number" | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** Lines longer than this are shown without colours. */
const LONGEST = 2_000;

const KEYWORDS = new Set(
  (
    "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum " +
    "extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface " +
    "isset list match namespace new null or parent print private protected public readonly require require_once return self " +
    "static switch throw trait true false try unset use var while xor yield int float string bool void mixed never iterable object"
  ).split(" "),
);

const TOKEN =
  /\/\*|\/\/.*|#(?!\[).*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\$[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*|\b\d[\w.]*|[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/g;

/** For each line whether it begins inside of a comment. */
export function commentStarts(lines: readonly string[]): readonly boolean[] {
  let isOpen = false;
  return lines.map((line) => {
    const before = isOpen;
    isOpen = endsInComment(line, isOpen);
    return before;
  });
}

function endsInComment(line: string, begins: boolean): boolean {
  if (!begins && !line.includes("/*")) return false;
  return scan(line, begins).isOpen;
}

export function tokens(line: string, beginsInComment: boolean): readonly Token[] {
  if (line.length > LONGEST) return [{ kind: "plain", text: line }];
  return scan(line, beginsInComment).tokens;
}

function scan(line: string, begins: boolean): { tokens: Token[]; isOpen: boolean } {
  const tokens: Token[] = [];
  const put = (kind: TokenKind, text: string): void => {
    if (text !== "") tokens.push({ kind, text });
  };
  let at = 0;
  if (begins) {
    const end = line.indexOf("*/");
    if (end < 0) return { tokens: line === "" ? [] : [{ kind: "comment", text: line }], isOpen: true };
    at = end + 2;
    put("comment", line.slice(0, at));
  }
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(line);
    if (match === null) break;
    put("plain", line.slice(at, match.index));
    const [text] = match;
    at = match.index + text.length;
    if (text === "/*") {
      const end = line.indexOf("*/", at);
      put("comment", line.slice(match.index, end < 0 ? undefined : end + 2));
      if (end < 0) return { tokens, isOpen: true };
      at = end + 2;
    } else put(kindOf(text), text);
  }
  put("plain", line.slice(at));
  return { tokens, isOpen: false };
}

function kindOf(text: string): TokenKind {
  const [first = ""] = text;
  if (first === "/" || first === "#") return "comment";
  if (first === '"' || first === "'") return "string";
  if (first === "$") return "variable";
  if (first >= "0" && first <= "9") return "number";
  return KEYWORDS.has(text.toLowerCase()) ? "keyword" : "plain";
}
