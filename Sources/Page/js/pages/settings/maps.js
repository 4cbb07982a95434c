// The maps that the server has, and how to add one.

import { format } from "../../core/format.js";
import { make } from "../../ui/elements.js";
import { loadLater } from "./later.js";

const MIB = 1 << 20;

export function open(app, form) {
  const { texts } = app;
  const later = loadLater(app, form, async () => {
    const { maps } = await app.server.get("/api/1/maps");
    const hint = texts.get("maps_add");
    return [
      ...maps.map(map => makeMap(app, form, map)),
      form.text(maps.length > 0 ? hint : `${texts.get("maps_none")} ${hint}`),
    ];
  });
  return {
    element: make("div", "page-body", later.element),
    recordDocument: ({ document }) => { if (document === "maps") later.reload(); },
  };
}

function makeMap({ texts, point }, form, map) {
  const facts = [
    form.fact(texts.get("map_file"), map.name),
    form.fact(texts.get("map_file_size"), `${format("one", map.bytes / MIB, { point })} MiB`),
    form.fact(texts.get("map_zooms"), map.min_zoom === map.max_zoom ? `${map.min_zoom}` : `${map.min_zoom}–${map.max_zoom}`),
  ];
  if (map.attribution) facts.push(form.fact(texts.get("map_source"), map.attribution));
  return form.section(map.title ?? map.name, ...facts);
}
