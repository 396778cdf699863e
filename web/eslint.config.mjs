import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["src/generated/", "dist/", "node_modules/"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    // The page shows names from profiles, which may be anything: as text only.
    files: ["src/**", "design/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "text only" },
        { property: "outerHTML", message: "text only" },
        { property: "insertAdjacentHTML", message: "text only" },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "text only" },
      ],
      eqeqeq: "error",
    },
  },
  {
    files: ["*.mjs", "boot.js", "tests/**/*.mjs"],
    languageOptions: {
      globals: Object.fromEntries(
        [
          "process",
          "console",
          "Buffer",
          "URL",
          "URLSearchParams",
          "document",
          "location",
          "innerWidth",
          "atob",
          "Blob",
          "DecompressionStream",
          "Response",
          "DataTransfer",
          "ClipboardEvent",
          "KeyboardEvent",
          "Worker",
          "dispatchEvent",
          "Event",
          "getComputedStyle",
          "File",
          "setTimeout",
          "fetch",
          "performance",
          "window",
          "CanvasRenderingContext2D",
          "WebGLRenderingContext",
          "WebGL2RenderingContext",
          "requestAnimationFrame",
        ].map((name) => [name, "readonly"]),
      ),
    },
  },
);
