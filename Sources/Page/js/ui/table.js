// The parts of a table. Roles are written out, because a table that is laid out as blocks on narrow
// screens loses them.

import { make } from "./elements.js";

export function makeTable(className) {
  const table = make("table", `number-table ${className}`);
  table.setAttribute("role", "table");
  return table;
}

export function makeCell(tag, role, ...children) {
  const cell = make(tag, "", ...children);
  cell.setAttribute("role", role);
  return cell;
}

/** A number. On narrow screens, which have no row of titles, it stands below its title. */
export function makeNumberCell(title, text) {
  return makeCell("td", "cell", make("span", "caption", title), make("span", "number-text", text ?? "–"));
}

export function makeRow(cells) {
  const row = make("tr", "", ...cells);
  row.setAttribute("role", "row");
  return row;
}

export function makeGroup(tag, ...rows) {
  const group = make(tag, "", ...rows);
  group.setAttribute("role", "rowgroup");
  return group;
}
