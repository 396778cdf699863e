/** Controls that several views have. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import type { MetricName } from "../types";
import { Go } from "./links";

/** A choice of few: all can be seen. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly { value: T; title: string }[];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <div class="choice" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === props.value}
          onClick={() => {
            props.onChange(option.value);
          }}
        >
          {option.title}
        </button>
      ))}
    </div>
  );
}

/** A choice of many, in a menu. */
export function Menu<T extends string>(props: {
  label: string;
  value: T;
  options: readonly { value: T; title: string }[];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <label class="menu">
      <span>{props.label}</span>
      <select
        value={props.value}
        onChange={(event) => {
          const chosen = props.options.find((option) => option.value === event.currentTarget.value);
          if (chosen) props.onChange(chosen.value);
        }}
      >
        {props.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The metric that is looked at, of those that were measured. */
export function MetricMenu(): JSX.Element | null {
  const { summary, metric, unit, go } = useSession();
  const options = summary.metrics.map((value: MetricName) => ({ value, title: format.metricTitle(value, unit) }));
  if (options.length < 2) return null;
  return (
    <Menu
      label="Metric"
      value={metric}
      options={options}
      onChange={(value) => {
        go({ metric: value });
      }}
    />
  );
}

/** A field that tells of its text when typing rests. */
export function TextField(props: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  onEnter?: (isShift: boolean) => void;
  placeholder?: string;
}): JSX.Element {
  const [text, setText] = useState(props.value);
  const sent = useRef(props.value);
  useEffect(() => {
    // Changed from outside: by a link, or by going back.
    if (props.value !== sent.current) {
      sent.current = props.value;
      setText(props.value);
    }
  }, [props.value]);
  const send = (value: string): void => {
    if (value === sent.current) return;
    sent.current = value;
    props.onChange(value);
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      send(text);
    }, 150);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return (
    <input
      type="search"
      class="field"
      data-search=""
      aria-label={props.label}
      placeholder={props.placeholder ?? props.label}
      value={text}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => {
        setText(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          event.preventDefault();
          send(text);
          props.onEnter?.(event.shiftKey);
        } else if (event.key === "Escape") {
          event.stopPropagation();
          setText("");
          send("");
          event.currentTarget.closest("main")?.focus();
        }
      }}
    />
  );
}

/** The search of the graphs, and how much it found. */
export function Search(props: {
  onMatch?: (step: 1 | -1) => void;
  visible?: number;
  /** How many boxes it found that are outside of what is zoomed into. */
  outside?: number;
  onShowAll?: () => void;
}): JSX.Element {
  const { state, metric, go } = useSession();
  const text = state.search;
  const { answer } = useAnswer(text === "" ? null : { ask: "search", text, metric, most: 1 });
  const { outside = 0 } = props;
  const isPart = outside > 0;
  return (
    <div class="search" role="search">
      <TextField
        label="Search functions"
        value={text}
        onChange={(value) => {
          go({ search: value }, "replace");
        }}
        onEnter={(isShift) => {
          props.onMatch?.(isShift ? -1 : 1);
        }}
      />
      {text !== "" && props.onMatch ? (
        <>
          <button
            type="button"
            aria-label="Previous match"
            title="Previous match (N)"
            onClick={() => props.onMatch?.(-1)}
          >
            ‹
          </button>
          <button type="button" aria-label="Next match" title="Next match (n)" onClick={() => props.onMatch?.(1)}>
            ›
          </button>
        </>
      ) : null}
      <span class="search-result" role="status">
        {answer === null
          ? ""
          : `${format.counted(answer.matches, "function")}${
              answer.covered === null ? "" : ` · ${format.share(answer.covered, answer.total[metric])}`
            }${
              props.visible === undefined || answer.matches === 0
                ? ""
                : ` · ${format.counted(props.visible, "box", "boxes")}${
                    isPart ? ` here, ${format.count(outside)} outside of the zoom` : ""
                  }`
            }`}
      </span>
      {answer !== null && isPart && props.onShowAll ? (
        <button type="button" onClick={props.onShowAll}>
          Show all
        </button>
      ) : null}
      {answer !== null && answer.matches > 0 ? (
        // What is too narrow to be drawn is found there.
        <Go to={{ page: "functions", filter: text, origins: [] }}>list</Go>
      ) : null}
    </div>
  );
}
