// Edit mode by keyboard: E begins, Tab goes from widget to widget, Enter selects, arrows move, 1 2 3
// size, Delete removes, Escape cancels.

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const SIZES = { 1: "1x1", 2: "2x1", 3: "3x1" };
const FIELDS = "input, select, textarea, dialog";

export function handleKey(editor, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!editor.isEditing) {
    const isOurs = event.key.toLowerCase() === "e" && editor.app.router.place.page === "dashboard";
    if (isOurs && !event.target.closest?.(FIELDS)) editor.start(indexOfFocus(editor));
    return;
  }
  if (event.target.closest?.(".question")) return;
  // No key of the dashboard, such as that of a lap, has its effect while editing.
  event.stopImmediatePropagation();
  if (act(editor, event)) event.preventDefault();
}

function indexOfFocus(editor) {
  const index = [...editor.app.list.children].findIndex(item => item.contains(document.activeElement));
  return index < 0 ? null : index;
}

/** @returns {boolean} whether the key had an effect here */
function act(editor, { key, target }) {
  if (key === "Escape") {
    editor.cancel();
    return true;
  }
  if (!target.closest?.(".face")) return false;
  const index = indexOfFocus(editor);
  if (key === "Enter" || key === " ") editor.select(index);
  else if (index !== editor.selected) return false;
  else if (key in STEPS) editor.move(index, index + STEPS[key]);
  else if (key in SIZES) editor.resize(SIZES[key]);
  else if (key === "Delete" || key === "Backspace") editor.remove(index);
  else return false;
  return true;
}
