import { describe, expect, it } from "vitest";
import { lastPart, SourceTexts } from "./sources";

const texts = new SourceTexts([
  { path: "app/src/a.php", text: "app" },
  { path: "lib/src/a.php", text: "lib" },
  { path: "b.php", text: new Blob(["b"]) },
]);

describe("texts of source files", () => {
  it("are found by the end of their path", async () => {
    expect(await texts.read("/srv/lib/src/a.php")).toBe("lib");
    expect(await texts.read("C:\\www\\app\\src\\a.php")).toBe("app");
    expect(await texts.read("/srv/b.php")).toBe("b");
    expect(await texts.read("/srv/c.php")).toBeNull();
    expect(texts.has("/x/b.php")).toBe(true);
    expect(texts.has("")).toBe(false);
  });

  it("are replaced by what is dropped later", async () => {
    const more = texts.with([{ path: "b.php", text: "new" }]);
    expect(more.count).toBe(3);
    expect(await more.read("/srv/b.php")).toBe("new");
    expect(lastPart("a/b/")).toBe("b");
  });
});
