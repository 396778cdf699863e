import { describe, expect, it } from "vitest";
import { fileName } from "./download";

describe("the name of an exported file", () => {
  it("is what the title ends in, without what file systems refuse", () => {
    expect(fileName("GET /blog/post?id=1")).toBe("post_id_1");
    expect(fileName("/usr/bin/phpcs")).toBe("phpcs");
    expect(fileName("..\\..\\<script>")).toBe("script_");
    expect(fileName("")).toBe("profile");
    expect(fileName("../..")).toBe("profile");
    expect(fileName("x".repeat(1_000_000))).toHaveLength(80);
  });
});
