// Saves a layout. When another screen saved meanwhile, the rider chooses which one stays.

import { parseLayout } from "../core/layout.js";
import { ask } from "../ui/question.js";

/** @returns {Promise<object|null>} the layout that is in effect, or null if nothing was decided */
export async function saveLayout(app) {
  const { server, layout, texts } = app;
  try {
    app.layoutTag = await server.save(app.layoutPath, layout, app.layoutTag);
    app.isOwnLayout = true;
    return layout;
  } catch (error) {
    if (error.status !== 412) throw error;
  }
  const choice = await ask(texts, texts.get("edit_conflict"), texts.get("edit_conflict_text"), ["take_theirs", "keep_mine"]);
  if (choice === null) return null;
  const { json, tag } = await server.load(app.layoutPath);
  app.layoutTag = tag;
  app.isOwnLayout = true;
  const theirs = json && parseLayout(json);
  if (choice === "take_theirs" && theirs) return theirs;
  app.layoutTag = await server.save(app.layoutPath, layout, tag);
  return layout;
}
