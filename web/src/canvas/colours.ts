/**
 * Colours of boxes. Every fill has a contrast of at least 4.5 to the text on it:
 * light fills below dark text, dark fills below light text.
 */
import type { Colouring } from "../app/state";
import { PALETTE } from "../generated/palette";
import type { Flame, FlameName } from "../types";

/** What a canvas is painted with, apart from boxes. */
export interface Ink {
  readonly text: string;
  readonly muted: string;
  readonly paper: string;
  readonly line: string;
  readonly accent: string;
  /** Boxes that stand for several. */
  readonly joined: string;
  readonly found: string;
  readonly unfound: string;
}

const LIGHT: Ink = {
  text: "#1b1d21",
  muted: "#5a606b",
  paper: "#ffffff",
  line: "#d5d9e0",
  accent: "#1d4ed8",
  joined: "#e3e6eb",
  found: "#f4a9f0",
  unfound: "#eceef1",
};

const DARK: Ink = {
  text: "#eceef2",
  muted: "#a4abb8",
  paper: "#14161a",
  line: "#343a44",
  accent: "#8ab4ff",
  joined: "#2d323b",
  found: "#86278f",
  unfound: "#262a31",
};

export function ink(isDark: boolean): Ink {
  return isDark ? DARK : LIGHT;
}

/** The luminance of a colour, as contrast is computed from it. */
function luminance(hue: number, saturation: number, lightness: number): number {
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12;
    const value = lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(0) + 0.7152 * part(8) + 0.0722 * part(4);
}

/** The lightness, in percent, at which a hue has a luminance: green is light long before blue is. */
function lightnessOf(hue: number, saturation: number, wanted: number): number {
  let [low, high] = [0, 1];
  for (let turn = 0; turn < 12; turn += 1) {
    const middle = (low + high) / 2;
    if (luminance(hue, saturation, middle) < wanted) low = middle;
    else high = middle;
  }
  return low * 100;
}

/** A fill of a hue; `strength` from 0 to 1 makes it stand out. */
function fill(hue: number | null, strength: number, isDark: boolean): string {
  const s = hue === null ? 4 : isDark ? 34 + 30 * strength : 38 + 50 * strength;
  const l = isDark ? lightnessOf(hue ?? 220, s / 100, 0.045 + 0.085 * strength) : 93 - 17 * strength;
  return `hsl(${(hue ?? 220).toFixed(0)} ${s.toFixed(0)}% ${l.toFixed(1)}%)`;
}

/** A colour of the palette of classes, which the engine names by its number. */
export function codeFill(colour: number, isDark: boolean): string {
  const ramp = isDark ? PALETTE.dark : PALETTE.light;
  return ramp[colour] ?? ink(isDark).joined;
}

/** What a function belongs to: its class, else its namespace. */
export function classOf(name: string): string {
  const method = name.indexOf("::");
  if (method > 0) return name.slice(0, method);
  const namespace = name.lastIndexOf("\\");
  return namespace > 0 ? name.slice(0, namespace) : "";
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function classFill(name: string, isDark: boolean): string {
  const group = classOf(name);
  if (group === "") return fill(null, 0.6, isDark);
  const value = hashOf(group);
  return fill((value % 24) * 15, 0.4 + 0.15 * (value % 3), isDark);
}

/** From 0 to 1: blue to red by way of pale. */
function coolToWarm(heat: number, isDark: boolean): string {
  const strength = Math.abs(heat - 0.5) * 2;
  return fill(heat < 0.5 ? 215 : 12, strength, isDark);
}

/** How much a box changed, from -1 (all of it is gone) to 1 (all of it is new). */
export function changeOf(value: number, base: number): number {
  const larger = Math.max(Math.abs(value), Math.abs(base));
  return larger === 0 ? 0 : Math.max(-1, Math.min(1, (value - base) / larger));
}

/** The fill of each box, by its place. */
export function boxFills(
  flame: Flame,
  colouring: Colouring,
  isSearching: boolean,
  isDark: boolean,
  only: readonly number[] = [],
): (place: number) => string {
  const { boxes, names } = flame;
  const paint = ink(isDark);
  const total = Math.max(1, Math.abs(flame.zoom.total));
  const mostOwn = boxes.own.reduce((most, own) => Math.max(most, own), 1);
  const mostCalls = Math.log2(2 + boxes.calls.reduce((most, calls) => Math.max(most, calls), 0));
  const byName = functionFills(names, colouring, isDark, only);
  return (place) => {
    const number = boxes.name[place] ?? -1;
    const name = names[number];
    if (isSearching) return name?.found === true ? paint.found : paint.unfound;
    if (colouring === "difference") {
      const value = boxes.value[place] ?? 0;
      const base = boxes.base[place] ?? value;
      // A large change of a box that matters stands out; noise stays pale.
      const weight = Math.min(1, Math.sqrt(Math.abs(value - base) / total) * 3);
      const change = Math.sign(changeOf(value, base)) * Math.max(weight, Math.abs(changeOf(value, base)) * 0.35);
      return coolToWarm(0.5 + change / 2, isDark);
    }
    if (name === undefined) return paint.joined;
    if (only.length > 0 && !only.includes(name.class)) return paint.unfound;
    if (colouring === "own") return fill(16, Math.sqrt(Math.max(0, boxes.own[place] ?? 0) / mostOwn), isDark);
    if (colouring === "calls") return coolToWarm(Math.log2(1 + (boxes.calls[place] ?? 0)) / mostCalls, isDark);
    return byName[number] ?? paint.joined;
  };
}

/** The fills of functions, by their place in the names: those of other classes than `only` are pale. */
export function functionFills(
  names: readonly FlameName[],
  colouring: Colouring,
  isDark: boolean,
  only: readonly number[] = [],
): string[] {
  return names.map((name) => {
    if (only.length > 0 && !only.includes(name.class)) return ink(isDark).unfound;
    return colouring === "class" ? classFill(name.name, isDark) : codeFill(name.colour, isDark);
  });
}

const SPAN_HUES: Readonly<Record<string, number>> = { sql: 265, http: 190, stream: 100, redis: 350, memcached: 45 };

export function spanFill(kind: string, isDark: boolean): string {
  return fill(SPAN_HUES[kind] ?? null, 0.7, isDark);
}

/** What the colours mean, for the legend; that of classes is the engine's. */
export function legend(colouring: Colouring, isDark: boolean): readonly { fill: string; title: string }[] {
  switch (colouring) {
    case "origin":
      return [];
    case "class":
      return [{ fill: fill(28, 0.5, isDark), title: "one colour a class or namespace" }];
    case "own":
      return [
        { fill: fill(16, 0, isDark), title: "little self cost" },
        { fill: fill(16, 1, isDark), title: "much" },
      ];
    case "calls":
      return [
        { fill: coolToWarm(0, isDark), title: "one call" },
        { fill: coolToWarm(0.5, isDark), title: "" },
        { fill: coolToWarm(1, isDark), title: "most calls" },
      ];
    case "difference":
      return [
        { fill: coolToWarm(0, isDark), title: "− less" },
        { fill: coolToWarm(0.5, isDark), title: "same" },
        { fill: coolToWarm(1, isDark), title: "+ more" },
      ];
  }
}
