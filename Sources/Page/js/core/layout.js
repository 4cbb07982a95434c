// The order and sizes of widgets. Pure: it changes lists, and keeps what a newer version wrote.

export const SIZES = ["1x1", "2x1", "3x1"];
export const LIMIT = 48;
const VERSION = 1;

/** The class of the screen that a layout is for. */
export function screenClass(width, height) {
  if (width < 360) return "small";
  if (width >= 1024) return "tablet";
  if (width >= 640) return width > height ? "landscape" : "bike";
  return width >= 440 ? "bike" : "phone";
}

/** The first layout follows what is paired, until the rider edits it. */
export function firstLayout(screen, hasKind = () => false) {
  const widgets = [{ id: "speed", size: screen === "small" ? "2x1" : "3x1" }];
  if (hasKind("heart_rate")) widgets.push({ id: "heart_rate", size: screen === "small" ? "1x1" : "2x1" });
  widgets.push({ id: "cadence", size: "1x1" });
  if (hasKind("power")) widgets.push({ id: "power", size: "1x1" });
  for (const id of ["grade", "elevation", "distance", "ride_time", "lap", "clock"]) {
    widgets.push({ id, size: "1x1" });
  }
  return { version: VERSION, widgets };
}

/** Checks a layout from the server. Unknown ids and members stay as they are. */
export function parseLayout(json) {
  if (json?.version !== VERSION || !Array.isArray(json.widgets)) return null;
  const widgets = json.widgets.filter(widget => typeof widget?.id === "string").slice(0, LIMIT);
  return { ...json, widgets };
}

export function sizeOf(widget) {
  return SIZES.includes(widget.size) ? widget.size : "1x1";
}

export function moved(layout, from, to) {
  const widgets = [...layout.widgets];
  const target = Math.max(0, Math.min(widgets.length - 1, to));
  widgets.splice(target, 0, ...widgets.splice(from, 1));
  return { ...layout, widgets };
}

export function resized(layout, index, size) {
  return changed(layout, index, widget => ({ ...widget, size }));
}

export function removed(layout, index) {
  return { ...layout, widgets: layout.widgets.filter((_, at) => at !== index) };
}

export function added(layout, widget) {
  if (layout.widgets.length >= LIMIT) return layout;
  return { ...layout, widgets: [...layout.widgets, widget] };
}

function changed(layout, index, change) {
  return { ...layout, widgets: layout.widgets.map((widget, at) => (at === index ? change(widget) : widget)) };
}
