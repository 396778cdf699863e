/** The engine's types, in one place for all views. */
export type * from "./generated";
export type { AnswerOf, Asked, FileToOpen, Scope } from "./engine/protocol";
