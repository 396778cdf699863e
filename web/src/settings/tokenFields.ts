/** The fields of a new token. */

export const SCOPES = [
  { scope: "read", text: "see runs" },
  { scope: "write", text: "send and label runs" },
  { scope: "admin", text: "delete runs, set policies, make tokens" },
] as const;

/** A token as it was typed. */
export interface TypedToken {
  readonly name: string;
  readonly app: string;
  readonly days: string;
  readonly scopes: readonly string[];
}

export const NO_TOKEN: TypedToken = { name: "", app: "", days: "", scopes: [] };

export type WrongToken = Partial<Record<keyof TypedToken, string>>;

/** What the server is asked to make. */
export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly app: string | null;
  readonly days: number | null;
}

/** The longest life of a token that ends: a century. */
const MOST_DAYS = 36_500;

export function newToken(typed: TypedToken): { token: NewToken | null; wrong: WrongToken } {
  const [name, app, days] = [typed.name.trim(), typed.app.trim(), typed.days.trim()];
  const wrong: WrongToken = {};
  if (name === "") wrong.name = "Type a name.";
  if (days !== "" && !/^\d+$/.test(days)) wrong.days = "Type a whole number, such as 90.";
  else if (days !== "" && Number(days) === 0) wrong.days = "A token works for a day at least.";
  else if (Number(days) > MOST_DAYS) wrong.days = `A token works for ${MOST_DAYS} days at most.`;
  if (typed.scopes.length === 0) wrong.scopes = "Choose what the token may do.";
  if (Object.keys(wrong).length > 0) return { token: null, wrong };
  // In the order of the server's lists, whatever was checked first.
  const scopes = SCOPES.map(({ scope }) => scope).filter((scope) => typed.scopes.includes(scope));
  return { token: { name, scopes, app: app === "" ? null : app, days: days === "" ? null : Number(days) }, wrong };
}

/** The field that a refusal of the server is about; null if it is about none. */
export function fieldOfRefusal(message: string): keyof TypedToken | null {
  const text = message.toLowerCase();
  if (text.startsWith("days:")) return "days";
  if (text.includes("application")) return "app";
  return text.includes("name") ? "name" : null;
}
