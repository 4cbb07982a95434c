// Links to the files of an activity. Formats that need a date ask for it if the activity has none.

import { nameOf } from "../core/activities.js";
import { make } from "../ui/elements.js";
import { Question } from "../ui/question.js";

/** Whether a format needs the date of the activity. */
const FORMATS = { fit: true, gpx: true, tcx: true, csv: false };

export function makeExports(app, form, activity) {
  const { texts } = app;
  const links = Object.entries(FORMATS).map(([format, needsDate]) => {
    const link = makeLink(texts, activity, format);
    if (needsDate && activity.start === undefined) {
      link.addEventListener("click", event => {
        event.preventDefault();
        askForStart(app, form, activity, format);
      });
    }
    return link;
  });
  const print = form.button(texts.get("print"), () => window.print());
  return make("div", "act-buttons", ...links, print);
}

function makeLink(texts, activity, format, start) {
  const link = make("a", "line-button", format.toUpperCase());
  const query = new URLSearchParams({ format, ...(start ? { start } : {}) });
  link.href = `/api/1/activities/${activity.id}/export?${query}`;
  link.download = "";
  link.setAttribute("aria-label", `${nameOf(activity, texts)}: ${format.toUpperCase()}`);
  return link;
}

function askForStart(app, form, activity, format) {
  const { texts } = app;
  const field = make("input", "field");
  field.type = "datetime-local";
  const save = form.button(texts.get("export_save", format.toUpperCase()), () => {
    const start = new Date(field.value);
    if (Number.isNaN(start.getTime())) return field.focus();
    makeLink(texts, activity, format, start.toISOString()).click();
    question.close();
  }, "call");
  const content = [
    make("p", "sentence", texts.get("export_start_text")),
    make("div", "lines", form.labelled(texts.get("add_start"), field)), make("div", "answers", save),
  ];
  const question = new Question(texts, texts.get("no_date"), content).open();
}
