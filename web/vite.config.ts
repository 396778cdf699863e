// Three bundles, each one classic script: the viewer, its engine's worker, and what
// the pages of `xhprof serve` do beyond HTML. From a file there are no modules by
// URL, so nothing is split.
import { defineConfig } from "vite";

const bundles = {
  viewer: { entry: "src/main.tsx", name: "xhprofViewer", file: "page.js" },
  worker: { entry: "src/engine/worker.ts", name: "xhprofWorker", file: "worker.js" },
  pages: { entry: "src/server/pages.ts", name: "xhprofPages", file: "pages.js" },
};

export default defineConfig(({ mode }) => {
  const { entry, name, file } = mode === "worker" || mode === "pages" ? bundles[mode] : bundles.viewer;
  return {
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      target: "es2022",
      outDir: "../target/web",
      emptyOutDir: false,
      lib: {
        entry,
        formats: ["iife"],
        name,
        fileName: () => file,
        cssFileName: "page",
      },
    },
  };
});
