// The rides: the list, and the pages to add, import and restore some.

import { open as openAdd } from "./rides/add.js";
import { open as openDeleted } from "./rides/deleted.js";
import { open as openImport } from "./rides/import.js";
import { open as openList } from "./rides/list.js";

const PAGES = { add: openAdd, deleted: openDeleted, import: openImport };

export function open(app, [name]) {
  const opened = PAGES[name]?.(app);
  return opened ? { parent: "/rides", ...opened } : { parent: "/", title: app.texts.get("rides"), ...openList(app) };
}
