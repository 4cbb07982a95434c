// Requests to the server of the page. Whatever it refuses is thrown with the server's own sentence.

/** The tag of a document that was never saved. */
const NO_DOCUMENT = '"none"';

export class Refusal extends Error {
  /** @param {number} status of HTTP; 0 when there was no answer */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Server {
  /** @param {() => void} onUnknown called when this screen is not paired */
  constructor({ onUnknown = () => {}, noAnswer = "no answer", fetch = (...request) => window.fetch(...request) } = {}) {
    this.onUnknown = onUnknown;
    this.noAnswer = noAnswer;
    this.fetch = fetch;
  }

  get(path) {
    return this.#request("GET", path).then(readJSON);
  }

  post(path, body, headers = {}) {
    return this.#request("POST", path, { body, headers }).then(readJSON);
  }

  remove(path, headers = {}) {
    return this.#request("DELETE", path, { headers }).then(readJSON);
  }

  patch(path, body, headers = {}) {
    return this.#request("PATCH", path, { body, headers }).then(readJSON);
  }

  /** Sends a file. `onProgress` gets the share that has been sent, from 0 to 1. */
  upload(path, file, onProgress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", path);
      request.setRequestHeader("X-Cyclometer", "1");
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
      request.addEventListener("error", () => reject(new Refusal(0, this.noAnswer)));
      request.addEventListener("load", () => {
        if (request.status === 401) this.onUnknown();
        if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
        else reject(new Refusal(request.status, reasonOf(request.responseText, request.getResponseHeader("Content-Type"))));
      });
      request.send(file);
    });
  }

  /** @returns {Promise<{json: object|null, tag: string}>} `json` is null if it was never saved */
  async load(path) {
    try {
      const response = await this.#request("GET", path);
      const json = response.status === 200 ? await readJSON(response) : null;
      return { json, tag: response.headers.get("ETag") ?? NO_DOCUMENT };
    } catch (error) {
      if (error.status !== 404) throw error;
      return { json: null, tag: error.tag ?? NO_DOCUMENT };
    }
  }

  /** Saves a document that builds on the version `tag`. @returns {Promise<string>} its new tag */
  async save(path, json, tag) {
    const response = await this.#request("PUT", path, { body: json, headers: { "If-Match": tag } });
    return response.headers.get("ETag") ?? NO_DOCUMENT;
  }

  async #request(method, path, { body, headers = {} } = {}) {
    const request = { method, headers: { ...headers } };
    // What a page does while it is closed reaches the server too.
    if (method === "POST" || method === "DELETE") request.keepalive = true;
    if (method !== "GET") {
      request.headers["X-Cyclometer"] = "1";
      request.headers["Content-Type"] = "application/json";
    }
    if (body !== undefined) request.body = JSON.stringify(body);
    let response;
    try {
      response = await this.fetch(path, request);
    } catch {
      throw new Refusal(0, this.noAnswer);
    }
    if (response.ok) return response;
    if (response.status === 401) this.onUnknown();
    const refusal = new Refusal(response.status, await readReason(response));
    refusal.tag = response.headers.get("ETag");
    throw refusal;
  }
}

async function readJSON(response) {
  const text = await response.text();
  return text === "" ? {} : JSON.parse(text);
}

/** A refusal is a sentence, or an object with one as `message`. */
async function readReason(response) {
  return reasonOf(await response.text(), response.headers.get("Content-Type"));
}

function reasonOf(content, type) {
  const text = content.trim();
  if (!type?.startsWith("application/json")) return text;
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text;
  }
}
