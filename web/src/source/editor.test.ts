import { describe, expect, it } from "vitest";
import { editorAddress, editorOf, isSafe, mapped } from "./editor";

const phpstorm = {
  template: "phpstorm://open?file={file}&line={line}",
  paths: [["/app", "/home/me/my app/"]] as const,
};

describe("links to an editor", () => {
  it("are only of schemes of editors", () => {
    for (const safe of ["vscode://file{file}:{line}", "http://localhost:63342/api/file{file}"])
      expect(isSafe(safe), safe).toBe(true);
    for (const unsafe of [
      "javascript:alert(1)//",
      "data:text/html,{file}",
      "file://{file}",
      "http://example.com/",
      "vscode:",
    ])
      expect(isSafe(unsafe), unsafe).toBe(false);
    expect(editorOf({ editor: "javascript://%0aalert(1)" })).toBe(null);
    expect(editorOf({})).toBe(null);
  });

  it("have the path of this machine", () => {
    expect(
      mapped("/app/src/a.php", [
        ["/app", "/x"],
        ["/app/src", "/y/"],
      ]),
    ).toBe("/y/a.php");
    expect(mapped("/application/a.php", [["/app", "/x"]])).toBe("/application/a.php");
    expect(editorAddress(phpstorm, "/app/src/A&b.php", 12)).toBe(
      "phpstorm://open?file=/home/me/my%20app/src/A%26b.php&line=12",
    );
  });

  it("encode whatever a profile says", () => {
    expect(editorAddress(phpstorm, '/a/{line}"><script>$&.php', 0)).toBe(
      "phpstorm://open?file=/a/%7Bline%7D%22%3E%3Cscript%3E%24%26.php&line=1",
    );
    expect(editorAddress(phpstorm, "/a/../../etc/passwd", 1)).toBe(null);
    expect(editorAddress(phpstorm, "page.html.twig", 1)).toBe(null);
    expect(editorAddress({ template: "vscode://file/{file}:{line}", paths: [] }, "C:\\a\\b.php", 3)).toBe(
      "vscode://file/C%3A/a/b.php:3",
    );
  });

  it("take the mappings of the page, and nothing else", () => {
    const data = { editor: "zed://file{file}:{line}", editorPaths: '[["/app","/x"],["/only"],7]' };
    expect(editorOf(data)?.paths).toEqual([["/app", "/x"]]);
  });
});
