/** Lays graphs out beside the page, so that it can be ended when it takes too long. */
import { layout, type Shape } from './layout';

self.onmessage = ({ data }: MessageEvent<Shape>) => {
  self.postMessage(layout(data));
};
