import * as vscode from "vscode";
import { start } from "./costs";
import { program } from "./program";

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(...start(vscode, program));
}
