/** Lays graphs out beside the page, so that it can be ended when it takes too long. */
import { layout } from "./layout";
import type { Shape } from "./shape";

self.onmessage = ({ data }: MessageEvent<Shape>) => {
  self.postMessage(layout(data));
};
