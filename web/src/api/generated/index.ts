export type * from "./AppInfo";
export type * from "./DemoState";
export type * from "./RunId";
export type * from "./RunInfo";
export type * from "./RunPage";
export type * from "./RunSort";
export type * from "./Session";
