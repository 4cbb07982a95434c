// Questions to the daemon, which the server passes on. Records about a long task, such as a search,
// come with the stream of this page.

export class Daemon {
  constructor(server, stream) {
    this.server = server;
    this.stream = stream;
  }

  /** @returns {Promise<object>} the daemon's result */
  ask(method, params = {}) {
    const headers = this.stream.id ? { "X-Cyclometer-Stream": this.stream.id } : {};
    return this.server.post("/api/1/daemon", { method, params }, headers);
  }
}
