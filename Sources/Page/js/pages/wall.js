// All bikes: /wall, or /wall/GROUP.

import { Wall } from "../wall/wall.js";

export function open(app, [group]) {
  const wall = new Wall(app, group);
  return {
    title: app.texts.get("wall"), parent: "/", element: wall.element,
    update: context => wall.update(context),
    close: () => wall.close(),
  };
}
