/** A small table of data, whose first column names the row. Where it is too wide it scrolls by itself. */
import type { ComponentChildren, JSX } from "preact";

export interface DataColumn {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Left out where there is little room. */
  readonly isWide?: boolean;
  /** Text that may need lines. */
  readonly isText?: boolean;
  /** The title is for screen readers only. */
  readonly isUntitled?: boolean;
}

export function DataTable(props: {
  label: string;
  columns: readonly DataColumn[];
  rows: readonly { key: string; cells: readonly ComponentChildren[]; class?: string }[];
}): JSX.Element {
  const { columns, label } = props;
  return (
    <div class="table-place" role="group" aria-label={label} tabIndex={0}>
      <table class="data">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.isUntitled === true ? <span class="sr-only">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.key} class={row.class}>
              {row.cells.map((cell, at) =>
                at === 0 ? (
                  <th key={at} scope="row" class="name">
                    {cell}
                  </th>
                ) : (
                  <td key={at} class={classOf(columns[at])}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf(column: DataColumn | undefined): string | undefined {
  const classes = [
    column?.isNumber === true ? "n" : "",
    column?.isWide === true ? "wide" : "",
    column?.isText === true ? "wrap" : "",
  ].filter((one) => one !== "");
  return classes.length === 0 ? undefined : classes.join(" ");
}
