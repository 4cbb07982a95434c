// Questions to the daemon, which the server passes on. Records about a long task, such as a search,
// come with the stream of this page.

/** These begin something, or belong to what was begun. */
const TASKS = new Set(["scan", "pair", "answer", "cancel"]);
const OPEN_MS = 5000;

export class Daemon {
  constructor(server, stream) {
    this.server = server;
    this.stream = stream;
  }

  /** @returns {Promise<object>} the daemon's result */
  async ask(method, params = {}) {
    // A page that was just loaded has no stream yet. Without one, the server refuses with its sentence.
    const limit = new Promise(resolve => setTimeout(resolve, OPEN_MS, null));
    const id = TASKS.has(method) ? await Promise.race([this.stream.whenOpen(), limit]) : null;
    return this.server.post("/api/1/daemon", { method, params }, id ? { "X-Cyclometer-Stream": id } : {});
  }
}
