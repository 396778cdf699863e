/** The fields of a policy as text: what the form shows, and what a user typed. */
import type { Policy } from "../api/generated";
import { count } from "../format";
import { exactSize, parseSize } from "./size";

export interface PolicyField {
  readonly name: keyof Policy;
  readonly label: string;
  readonly hint: string;
  readonly kind: "days" | "number" | "size";
  /** Whether an empty field is no limit. */
  readonly mayBeEmpty: boolean;
  readonly isQuota: boolean;
}

const LIMIT = { mayBeEmpty: true, isQuota: false } as const;
const QUOTA = { mayBeEmpty: true, isQuota: true } as const;
const NEEDED = { mayBeEmpty: false, isQuota: false } as const;

/** All fields, in their order. */
export const POLICY_FIELDS: readonly PolicyField[] = [
  {
    name: "days",
    label: "Age of a run, in days",
    hint: "Counted from its arrival. Empty: no limit.",
    kind: "days",
    ...LIMIT,
  },
  {
    name: "runs",
    label: "Number of runs",
    hint: "Beyond it the oldest are removed. Empty: no limit.",
    kind: "number",
    ...LIMIT,
  },
  {
    name: "bytes",
    label: "Size of all runs",
    hint: "Such as 500 MB or 20 GB. Beyond it the oldest are removed. Empty: no limit.",
    kind: "size",
    ...LIMIT,
  },
  {
    name: "notable",
    label: "Slowest and failed runs of each route",
    hint: "So many of the slowest, and so many of the failed, stay when the limits above would remove them.",
    kind: "number",
    ...NEEDED,
  },
  {
    name: "keep_notable_days",
    label: "Age of those, in days",
    hint: "After it they are removed, too.",
    kind: "days",
    ...NEEDED,
  },
  {
    name: "sums_days",
    label: "Age of the sums, in days",
    hint: "Trends, comparisons and regressions are made of them. Empty: no limit.",
    kind: "days",
    ...LIMIT,
  },
  {
    name: "runs_a_day",
    label: "Quota: runs a day",
    hint: "Beyond it uploads are refused until 00:00 UTC. Empty: no quota.",
    kind: "number",
    ...QUOTA,
  },
  {
    name: "bytes_a_day",
    label: "Quota: size of the runs of a day",
    hint: "Such as 500 MB, as they are stored. Empty: no quota.",
    kind: "size",
    ...QUOTA,
  },
];

/** A policy as it was typed. */
export type TypedPolicy = Readonly<Record<keyof Policy, string>>;

/** What is wrong, by field. */
export type WrongFields = Partial<Record<keyof Policy, string>>;

/** The text of a policy. */
export function typedPolicy(policy: Policy): TypedPolicy {
  const texts = POLICY_FIELDS.map(({ name, kind }): [string, string] => {
    const value = policy[name];
    return [name, value === null ? "" : kind === "size" ? exactSize(value) : String(value)];
  });
  return Object.fromEntries(texts) as TypedPolicy;
}

const MOST_DAYS = 0xffff_ffff;

/** The policy, if each field has a valid value; else what is wrong with which. */
export function policyOf(typed: TypedPolicy): { policy: Policy; wrong: null } | { policy: null; wrong: WrongFields } {
  const wrong: WrongFields = {};
  const policy: Partial<Record<keyof Policy, number | null>> = {};
  for (const field of POLICY_FIELDS) {
    const text = typed[field.name].trim();
    const value = valueOf(field, text);
    if (typeof value === "string") wrong[field.name] = value;
    else policy[field.name] = value;
  }
  return Object.keys(wrong).length > 0 ? { policy: null, wrong } : { policy: policy as Policy, wrong: null };
}

/** The value of a field, or why it is none. */
function valueOf(field: PolicyField, text: string): number | null | string {
  if (text === "") return field.mayBeEmpty ? null : "Type a whole number, such as 20.";
  const value = field.kind === "size" ? parseSize(text) : wholeNumber(text);
  if (typeof value === "string") return value;
  if (field.kind === "days" && value > MOST_DAYS) return `At most ${count(MOST_DAYS)}.`;
  if (value > 0 || !field.mayBeEmpty) return value;
  return field.isQuota
    ? "0 would refuse every run. Leave the field empty for no quota."
    : "0 would remove everything. Leave the field empty for no limit.";
}

function wholeNumber(text: string): number | string {
  if (!/^\d+$/.test(text)) return "Type a whole number, such as 30.";
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : "The number is too large.";
}

/** The field that a refusal of the server names before its colon; null if it names none. */
export function refusedField(message: string): { field: keyof Policy; reason: string } | null {
  const found = /^(\w+): (.+)$/s.exec(message);
  const name = found?.[1]?.toLowerCase();
  const field = POLICY_FIELDS.find((one) => one.name === name);
  const reason = found?.[2];
  if (field === undefined || reason === undefined) return null;
  return { field: field.name, reason: reason.charAt(0).toUpperCase() + reason.slice(1) };
}
