// The rides that were deleted in the last 30 days, which can be restored.

import { nameOf } from "../../core/activities.js";
import { make } from "../../ui/elements.js";
import { Form } from "../../ui/form.js";
import { makeLine } from "./line.js";

const PAGE_SIZE = 200;
const MESSAGE_S = 8;

export function open(app) {
  const { texts } = app;
  const form = new Form(app);
  const list = make("ul", "rides");
  const status = make("p", "sentence", texts.get("loading"));
  status.setAttribute("role", "status");

  const restore = async (activity, line) => {
    try {
      await app.server.post(`/api/1/activities/${activity.id}/restore`, {});
      const next = line.nextElementSibling ?? line.previousElementSibling;
      const hadFocus = line.contains(document.activeElement);
      line.remove();
      if (hadFocus) (next?.querySelector("button") ?? document.querySelector("#page h1")).focus();
      if (list.childElementCount === 0) status.textContent = texts.get("no_deleted");
      app.message.show(texts.get("restored", nameOf(activity, texts)), MESSAGE_S);
    } catch (error) {
      app.message.show(texts.get("refused", error.message), MESSAGE_S);
    }
  };
  const makeDeleted = activity => {
    const line = makeLine(app, activity, "h2");
    const name = nameOf(activity, texts);
    line.querySelector(".ride-name").replaceChildren(name);
    const day = new Intl.DateTimeFormat(app.language, { day: "numeric", month: "long" }).format(Date.parse(activity.deleted));
    line.querySelector(".ride-state").textContent = texts.get("deleted_on", day);
    const button = form.button(texts.get("restore"), () => restore(activity, line));
    button.setAttribute("aria-label", `${texts.get("restore")}: ${name}`);
    line.querySelector(".thumbnail").replaceWith(button);
    return line;
  };
  const load = async () => {
    const found = [];
    try {
      for (let more = true; more;) {
        const before = found.length > 0 ? `&before=${found.at(-1).id}` : "";
        const page = await app.server.get(`/api/1/activities?deleted=true&limit=${PAGE_SIZE}${before}`);
        found.push(...page.activities);
        more = page.more === true && page.activities.length > 0;
      }
      list.replaceChildren(...found.map(makeDeleted));
      status.textContent = texts.get(found.length > 0 ? "deleted_hint" : "no_deleted");
    } catch (error) {
      status.textContent = error.status === 503 ? texts.get("not_recorded") : texts.get("refused", error.message);
    }
  };
  load();
  return { title: texts.get("rides_deleted"), element: make("div", "page-body", status, list) };
}
