// Two bundles, each one classic script: the page, and the engine's worker. From
// a file there are no modules by URL, so nothing is split.
import { defineConfig } from "vite";

export default defineConfig(({ mode }) => {
  const isWorker = mode === "worker";
  return {
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      target: "es2022",
      outDir: "../target/web",
      emptyOutDir: false,
      lib: {
        entry: isWorker ? "src/engine/worker.ts" : "src/main.tsx",
        formats: ["iife"],
        name: isWorker ? "xhprofWorker" : "xhprofViewer",
        fileName: () => (isWorker ? "worker.js" : "page.js"),
        cssFileName: "page",
      },
    },
  };
});
