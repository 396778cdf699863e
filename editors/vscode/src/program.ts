/** Runs the program xhprof. */

import { execFile } from "node:child_process";

/** What the extension asks of the program. */
export interface Program {
  /** Its standard output. */
  run(...args: string[]): Promise<string>;
}

/** The program at a path, or of that name on the PATH; nothing goes through a shell. */
export function program(path: string, directory: string | undefined): Program {
  return {
    run: (...args) =>
      new Promise((resolve, reject) => {
        // The page of the viewer has the whole profile in it.
        const options = { cwd: directory, maxBuffer: 512 * 1024 * 1024, timeout: 60_000 };
        execFile(path, args, options, (error, out, messages) => {
          if (error === null) {
            resolve(out);
          } else if ("code" in error && error.code === "ENOENT") {
            reject(new Error(`there is no program ${path}: set xhprof.program to its path`));
          } else {
            reject(new Error(messages.trim().split("\n").at(-1) || error.message));
          }
        });
      }),
  };
}
