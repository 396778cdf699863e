import { expect, test } from "vitest";
import { keepViews, MOST_VIEWS, nameProblem, renamed, savedViews, withoutView, withView } from "./views";

function storage(text: string | null = null): { text: string | null } & Pick<Storage, "getItem" | "setItem"> {
  return {
    text,
    getItem() {
      return this.text;
    },
    setItem(_key, value) {
      this.text = value;
    },
  };
}

test("a view that was saved is there again", () => {
  const place = storage();
  const views = withView(withView([], { name: "slow carts", address: "/runs?q=route:/cart" }), {
    name: " errors ",
    address: "/runs?q=status:500#x",
  });
  expect(keepViews(place, views)).toBe(true);
  expect(savedViews(place)).toEqual([
    { name: "errors", address: "/runs?q=status:500#x" },
    { name: "slow carts", address: "/runs?q=route:/cart" },
  ]);
});

test("a second view of the same name replaces the first, and so does a rename", () => {
  const views = withView(withView([], { name: "a", address: "/1" }), { name: "b", address: "/2" });
  expect(withView(views, { name: "a", address: "/3" })).toEqual([
    { name: "a", address: "/3" },
    { name: "b", address: "/2" },
  ]);
  expect(renamed(views, "a", "b")).toEqual([{ name: "b", address: "/1" }]);
  expect(renamed(views, "c", "d")).toEqual(views);
  expect(withoutView(views, "a")).toEqual([{ name: "b", address: "/2" }]);
});

test("what is no view of this server is left out", () => {
  for (const text of ["", "{", "null", '{"name":"x"}', "[1,null,{}]"]) expect(savedViews(storage(text))).toEqual([]);
  const hostile = ["https://evil.example.com/", "//evil.example.com", "/\\evil.example.com", "javascript:alert(1)"];
  const text = JSON.stringify([...hostile, "/routes"].map((address) => ({ name: "x", address })));
  expect(savedViews(storage(text))).toEqual([{ name: "x", address: "/routes" }]);
});

test("there is an end to the list", () => {
  let views = savedViews(storage());
  for (let n = 0; n < MOST_VIEWS + 5; n++) views = withView(views, { name: `view ${n}`, address: "/" });
  expect(views).toHaveLength(MOST_VIEWS);
});

test("a name must be typed, and short", () => {
  expect(nameProblem("  ")).toBe("Type a name.");
  expect(nameProblem("x".repeat(81))).toBe("At most 80 letters.");
  expect(nameProblem("größe")).toBeNull();
});

test("a browser without a place says so", () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  expect(keepViews(full, [])).toBe(false);
});
