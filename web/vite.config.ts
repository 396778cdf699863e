// Three bundles, each one classic script: the viewer of a single file, the engine's
// worker, and the app of `xhprof serve`, which has the viewer in it. From a file there
// are no modules by URL, so nothing is split.
import { defineConfig } from "vite";

const bundles = {
  viewer: { entry: "src/main.tsx", name: "xhprofViewer", file: "page.js" },
  worker: { entry: "src/engine/worker.ts", name: "xhprofWorker", file: "worker.js" },
  server: { entry: "src/server.tsx", name: "xhprofServer", file: "app.js" },
};

export default defineConfig(({ mode }) => {
  const { entry, name, file } = mode === "worker" || mode === "server" ? bundles[mode] : bundles.viewer;
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
        cssFileName: mode === "server" ? "app" : "page",
      },
    },
  };
});
