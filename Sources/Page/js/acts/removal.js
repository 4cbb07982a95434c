// Removes something of which the logbook keeps nothing: only when the message with UNDO goes. A page
// that is closed meanwhile removes it at once. Lists leave out what waits for that: the server still
// has it.

const UNDO_S = 10;
const MESSAGE_S = 8;

/** The paths that wait, and those of which the server has not answered yet. */
const pending = new Set();

/** Whether the rider has deleted what is at this path, and the server may still list it. */
export function isBeingRemoved(path) {
  return pending.has(path);
}

/**
 * @param {object} app
 * @param {object} item
 * @param {string} item.path what the server is asked to remove
 * @param {string} item.name
 * @param {() => void} item.undone called when the rider takes it back
 */
export function removeLater(app, { path, name, undone }) {
  const { texts, server, message } = app;
  const end = () => {
    clearTimeout(timer);
    window.removeEventListener("pagehide", remove);
  };
  const remove = async () => {
    end();
    try {
      await server.remove(path);
    } catch (error) {
      message.show(texts.get("refused", error.message), MESSAGE_S);
    } finally {
      pending.delete(path);
    }
  };
  pending.add(path);
  const timer = setTimeout(remove, UNDO_S * 1000);
  window.addEventListener("pagehide", remove);
  const undo = () => {
    end();
    pending.delete(path);
    undone();
  };
  message.show(texts.get("deleted_ride", name), UNDO_S, { label: texts.get("undo"), act: undo });
}
