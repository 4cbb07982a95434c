// The coach: /coach.

import { Coach } from "../coach/coach.js";

export function open(app) {
  const coach = new Coach(app);
  return {
    title: app.texts.get("coach"), parent: "/", element: coach.element,
    update: context => coach.update(context),
    worksHidden: () => coach.worksHidden,
    close: () => coach.close(),
  };
}
