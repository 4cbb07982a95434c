// The choice of the rides that are joined with one: those of its sport, the nearest in time first.

import { dateOf, nameOf } from "../core/activities.js";
import { make } from "../ui/elements.js";
import { Question } from "../ui/question.js";

const DAYS_MS = 7 * 86_400_000;
const MOST_OTHERS = 31;
const MOST_SHOWN = 50;

/**
 * Asks which.
 * @param {() => boolean} isLeft whether the rider has left the page of the activity
 * @returns {Promise<number[]|null>} their ids; null if the rider chose none
 */
export async function chooseOthers(app, form, activity, isLeft) {
  const { texts } = app;
  const others = await findOthers(app, activity);
  if (isLeft()) return null;
  if (others.length === 0) throw new Error(texts.get("join_none"));
  return new Promise(resolve => {
    const chosen = new Set();
    const lines = others.map(other => form.toggle(`${nameOf(other, texts)}, ${dateOf(other, app)}`, false, isOn => {
      if (isOn) chosen.add(other.id);
      else chosen.delete(other.id);
      join.disabled = chosen.size === 0 || chosen.size > MOST_OTHERS;
    }, undefined, false));
    const join = form.button(texts.get("join"), () => {
      question.close();
      resolve([...chosen]);
    }, "call");
    join.disabled = true;
    const content = [make("p", "sentence", texts.get("join_text")), make("div", "lines", ...lines), make("div", "answers", join)];
    const question = new Question(texts, texts.get("join_title"), content, { onClose: () => resolve(null) }).open();
  });
}

async function findOthers(app, { id, sport, start }) {
  const query = new URLSearchParams({ limit: MOST_SHOWN, ...(sport ? { sport } : {}) });
  const time = start === undefined ? null : Date.parse(start);
  if (time !== null) {
    query.set("from", new Date(time - DAYS_MS).toISOString());
    query.set("to", new Date(time + DAYS_MS).toISOString());
  }
  const { activities } = await app.server.get(`/api/1/activities?${query}`);
  const distance = other => (time === null || other.start === undefined ? 0 : Math.abs(Date.parse(other.start) - time));
  const canJoin = other => other.id !== id && other.source !== "hand" && other.state !== "recording";
  return activities.filter(canJoin).sort((a, b) => distance(a) - distance(b));
}
