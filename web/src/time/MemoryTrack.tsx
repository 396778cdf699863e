/** The memory in use, below the calls in the order of time. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../app/session";
import { useIsDark } from "../app/theme";
import { codeFill, ink } from "../canvas/colours";
import { prepare } from "../canvas/paint";
import * as format from "../format";
import { useSize } from "../parts/size";
import type { TimeRange } from "../types";
import { timeOf, xOf } from "./scale";

const HEIGHT = 52;

export function MemoryTrack(props: { part: TimeRange }): JSX.Element | null {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const isDark = useIsDark();
  const [pointed, setPointed] = useState<number | null>(null);
  const points = Math.max(64, Math.min(2_048, Math.ceil(width / 64) * 64));
  const { answer } = useAnswer(width === 0 ? null : { ask: "memory", range: props.part, points }, {});
  const most = answer?.most ?? [];
  const isEmpty = most.length === 0 || most.every((value) => value === 0);
  const highest = Math.max(1, ...most);
  const lowest = Math.min(0, ...most);
  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, width, HEIGHT, paint.paper);
    if (!context || answer === null || isEmpty) return;
    const y = (value: number): number => 2 + (1 - (value - lowest) / (highest - lowest)) * (HEIGHT - 4);
    // The answer may be of the part before: each stretch stands where it was.
    const scale = { part: props.part, width };
    const step = (answer.range.to - answer.range.from) / most.length;
    const x = (at: number): number => xOf(scale, answer.range.from + step * at);
    context.beginPath();
    context.moveTo(x(0), y(0));
    most.forEach((value, at) => {
      context.lineTo(x(at), y(value));
      context.lineTo(x(at + 1), y(value));
    });
    context.lineTo(x(most.length), y(0));
    context.fillStyle = codeFill(0, isDark);
    context.fill();
    context.strokeStyle = paint.accent;
    context.lineWidth = 1;
    context.stroke();
    if (pointed !== null) {
      context.fillStyle = paint.text;
      context.fillRect(xOf(scale, pointed), 0, 1, HEIGHT);
    }
  });
  const at =
    pointed === null || answer === null
      ? undefined
      : most[Math.floor(((pointed - answer.range.from) / (answer.range.to - answer.range.from)) * most.length)];
  return (
    <section class="span-strip memory-track" aria-label="Memory in use" hidden={answer !== null && isEmpty}>
      <h2>
        Memory in use{" "}
        <span class="muted">
          {at === undefined || pointed === null
            ? answer === null || isEmpty
              ? ""
              : `at most ${format.bytes(highest)} more than at the beginning`
            : `${format.bytes(at)} more than at the beginning, at ${format.time(pointed)}`}
        </span>
      </h2>
      <div ref={frame}>
        <canvas
          ref={canvas}
          aria-hidden="true"
          style={{ width: `${width}px`, height: `${HEIGHT}px` }}
          onPointerMove={(event) => {
            const left = event.currentTarget.getBoundingClientRect().left;
            setPointed(timeOf({ part: props.part, width }, event.clientX - left));
          }}
          onPointerLeave={() => {
            setPointed(null);
          }}
        />
      </div>
    </section>
  );
}
