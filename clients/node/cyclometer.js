// Cyclometer's client for Node 18 and later: one file without dependencies.
//
//     const { Client } = require("./cyclometer");
//     const client = new Client({ kinds: ["heart_rate"] });
//     client.on("sample", (sample) => console.log(sample.sensor, sample.bpm ?? "-"));
//     client.on("disconnected", (error) => console.log("lost:", error.message));
//     setInterval(() => console.log(client.live("heart_rate").value?.bpm ?? "-"), 1000);
//
// Events: `connected` (hello, isNewInstance), `disconnected` (error), `sample`, `record` (any other
// record), `gap` ({sensor, kind, lost}), `lag` (dropped), and `failed` (error). The client
// reconnects and resubscribes after `disconnected`, but not after `failed`.
"use strict";

const { EventEmitter } = require("node:events");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");

const LINE_LIMIT = 65536;
const FIRST_PAUSE = 250, LONGEST_PAUSE = 4000, TIMEOUT = 10000;
// The daemon ends a pair after 45 s and a command after 30 s, and reports why.
const DEADLINES = { pair: 50000, command: 35000 };
const CANCELLED = ["pair", "scan", "capture", "inspect"];
const PASSING = ["adapter_unavailable", "busy", "internal", "not_connected", "timeout", "too_many"];
// The age in seconds up to which a sample is current; null: no limit.
// Used if the daemon does not send `stale_after_ms`.
const LIMITS = {
  heart_rate: 5, speed: 3, cadence: 3, power: 3, radar: 1.5, trainer: 3, rowing: 3, oxygen: 5, tire_pressure: 900, body_temperature: 10,
  muscle_oxygen: 10, ecg: 5, acceleration: 5, position: 5, hrv: 10, battery: null, environment: null, trainer_status: null, wheel: null,
  bike: null,
};
const DEFAULT_LIMIT = 5;

class CyclometerError extends Error {
  // `code`: a code of the protocol, or disconnected, timed_out, protocol.
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const refusal = (record) => new CyclometerError(String(record.code ?? "internal"), String(record.message ?? "the daemon gave no reason"));
// Unlike performance.now(), this also counts while the computer sleeps.
const now = () => os.uptime();
// The only source of the ride that is not a sensor. It has no state.
const RECEIVER = "gps";

class Client extends EventEmitter {
  #subscription; #paths; #socket = null; #stage = "away"; #pieces = []; #length = 0; #lastID = 0; #open = new Map(); #timer = null;
  #pause = FIRST_PAUSE; #absent = false; #instance = null; #hello = null; #subscribing = 0; #asking = 0; #numbers = new Map();
  #lastWords = null; #began = 0; #connected = 0; #samples = new Map(); #states = new Map(); #limits = new Map(); #waiting = []; #decoder;

  constructor(subscription = {}, control = process.env.CYCLOMETER_SOCKET || "/run/cyclometer/control.sock") {
    super();
    this.#subscription = subscription;
    this.#paths = [...new Set([control, path.join(path.dirname(control), "metrics.sock")])];
    this.#decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    this.#timer = setTimeout(() => this.#connect(0), 0);
  }

  // Closes the connection for good.
  close() {
    this.#end(new CyclometerError("disconnected", "closed"));
  }

  // Returns {value, age, state, last}. `value`, a sample, is null unless it is current. Without
  // `sensor`, it is the ride's, or the newest of any sensor if the ride has no current value.
  live(kind, sensor) {
    if (sensor !== undefined) return this.#live(kind, sensor);
    const all = [...this.#samples.values()].map(({ sample }) => sample).filter((each) => each.kind === kind && each.sensor !== "ride");
    const others = all.map((each) => this.#live(kind, each.sensor));
    others.sort((a, b) => (a.value === null) - (b.value === null) || a.age - b.age);
    const ride = this.#live(kind, "ride");
    return ride.value || !others.length ? ride : others[0];
  }

  // Resolves to the result, or rejects with an error that has a `code`. Waits for a connection
  // first, if necessary. A pair, scan, capture or inspect that times out is cancelled.
  async request(method, params, timeout = DEADLINES[method] ?? TIMEOUT) {
    const deadline = performance.now() + timeout;
    while (this.#stage !== "following") {
      if (this.#stage === "ended") throw new CyclometerError("disconnected", "closed");
      if (performance.now() >= deadline) throw new CyclometerError("timed_out", "the daemon did not answer in time");
      await new Promise((done) => {
        const timer = setTimeout(done, deadline - performance.now());
        this.#waiting.push(() => (clearTimeout(timer), done()));
      });
    }
    const id = this.#send(method, params);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#open.delete(id);
        if (CANCELLED.includes(method)) this.#send("cancel");
        reject(new CyclometerError("timed_out", `the daemon did not answer ${method} in time`));
      }, deadline - performance.now());
      this.#open.set(id, { resolve, reject, timer });
    });
  }

  // In seconds; null if there is no limit.
  #limit(kind, sensor) {
    const limits = this.#limits.get(sensor);
    if (limits === undefined) return kind in LIMITS ? LIMITS[kind] : DEFAULT_LIMIT;
    return typeof limits[kind] === "number" ? limits[kind] / 1000 : null;
  }

  #learnLimits(sensor, limits) {
    if (typeof sensor === "string" && limits && typeof limits === "object") this.#limits.set(sensor, limits);
  }

  #live(kind, sensor) {
    const { sample, came } = this.#samples.get(`${sensor} ${kind}`) ?? {};
    // The ride has the state of its source. Values without a source come from several sensors.
    const counts = sensor === "ride" && sample ? sample.source ?? RECEIVER : sensor;
    let state = counts === RECEIVER ? "streaming" : this.#states.get(counts) ?? "unknown";
    if (this.#stage !== "following") state = "disconnected";
    if (!sample) return { value: null, age: null, state, last: null };
    const age = now() - came + (typeof sample.age_ms === "number" ? sample.age_ms / 1000 : 0);
    const limit = this.#limit(kind, sensor);
    const isCurrent = state === "streaming" && came >= this.#connected && (limit === null || age <= limit);
    return { value: isCurrent ? sample : null, age, state, last: sample };
  }

  #connect(index, reason) {
    const socket = net.connect(this.#paths[index]);
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#lose(new CyclometerError("timed_out", "the daemon did not answer in time")), TIMEOUT);
    socket.on("error", (error) => {
      if (this.#socket !== socket) return;
      if (this.#stage !== "away") return this.#lose(new CyclometerError("disconnected", error.message));
      if (!reason || error.code === "EACCES") reason = error.message;
      clearTimeout(this.#timer);
      if (index + 1 < this.#paths.length) return this.#connect(index + 1, reason);
      this.#lose(new CyclometerError("disconnected", reason));
    });
    socket.on("connect", () => { this.#stage = "greeting"; });
    socket.on("data", (data) => { if (this.#socket === socket) this.#received(data, socket); });
    socket.on("close", () => {
      if (this.#socket === socket) this.#lose(new CyclometerError("disconnected", "the daemon closed the connection"));
    });
  }

  #received(data, socket) {
    for (let start = 0; start < data.length && this.#socket === socket;) {
      const end = data.indexOf(10, start);
      const piece = data.subarray(start, end < 0 ? data.length : end);
      this.#pieces.push(piece);
      this.#length += piece.length;
      const hasReturn = piece[piece.length - 1] === 13;
      if (this.#length - hasReturn > LINE_LIMIT)
        return this.#lose(new CyclometerError("protocol", "the daemon sent a longer line than the protocol allows"));
      if (end < 0) return;
      const line = Buffer.concat(this.#pieces);
      [this.#pieces, this.#length, start] = [[], 0, end + 1];
      let record = null;
      try {
        record = JSON.parse(this.#decoder.decode(line));
      } catch { /* Lines that are not JSON are skipped. */ }
      if (record !== null && typeof record === "object" && !Array.isArray(record)) this.#take(record);
    }
  }

  #take(record) {
    const error = record.class === "error" ? refusal(record) : null;
    if (this.#stage === "greeting") {
      if (error) return this.#lose(error);
      if (record.class !== "hello" || typeof record.protocol !== "string" || typeof record.instance !== "string")
        return this.#lose(new CyclometerError("protocol", "the program at this socket is not cyclometerd"));
      if (!record.protocol.startsWith("1."))
        return this.#lose(new CyclometerError("protocol",
          `the daemon speaks version ${record.protocol} of the protocol, this client speaks version 1`));
      [this.#hello, this.#stage] = [record, "subscribing"];
      this.#socket.cork();
      this.#subscribing = this.#send("subscribe", this.#subscription);
      this.#asking = this.#send("sensors");
      this.#socket.uncork();
    } else if (this.#stage === "subscribing") {
      if (error) return this.#lose(error);
      if (record.class === "reply" && record.id === this.#subscribing) this.#follow();
    } else if (record.class === "reply" || (error && "id" in record)) {
      if (record.id === this.#asking && record.result) {
        for (const sensor of record.result.sensors || []) {
          this.#states.set(sensor.id, sensor.state);
          this.#learnLimits(sensor.id, sensor.stale_after_ms);
        }
        this.#learnLimits("ride", record.result.ride?.stale_after_ms);
      }
      const asked = this.#open.get(record.id);
      this.#open.delete(record.id);
      clearTimeout(asked?.timer);
      if (error) asked?.reject(error); else asked?.resolve(record.result ?? {});
    } else if (error) this.#lastWords = error;
    else if (record.class === "lag") this.emit("lag", record.dropped ?? 0);
    else this.#learn(record);
  }

  #follow() {
    clearTimeout(this.#timer);
    const isNew = this.#instance !== null && this.#instance !== this.#hello.instance;
    if (isNew) this.#numbers.clear();
    this.#instance = this.#hello.instance;
    [this.#stage, this.#absent, this.#began, this.#connected] = ["following", false, performance.now(), now()];
    for (const wake of this.#waiting.splice(0)) wake();
    this.emit("connected", this.#hello, isNew);
  }

  #learn(record) {
    if (record.class === "state") this.#states.set(record.sensor, record.state);
    if (record.class === "sensor" && record.sensor) {
      const { id, state } = record.sensor;
      this.#learnLimits(id, record.sensor.stale_after_ms);
      this.#states.set(id, record.change === "removed" ? "unknown" : state);
      // Another sensor may get the same id.
      for (const [key, { sample }] of record.change === "removed" ? this.#samples : [])
        if (id === sample.sensor || id === sample.source) this.#samples.delete(key);
    }
    if (record.class !== "sample") return this.emit("record", record);
    const { sensor, kind, seq } = record, key = `${sensor} ${kind}`;
    if (typeof sensor === "string" && typeof kind === "string") {
      this.#samples.set(key, { sample: record, came: now() });
      if (Number.isSafeInteger(seq) && seq > 0 && !("max_hz" in this.#subscription)) {
        const lost = seq - (this.#numbers.get(key) ?? seq) - 1;
        this.#numbers.set(key, seq);
        if (lost > 0) this.emit("gap", { sensor, kind, lost });
      }
    }
    this.emit("sample", record);
  }

  #send(method, params) {
    const id = ++this.#lastID;
    const line = JSON.stringify({ id, method, params });
    if (Buffer.byteLength(line) > LINE_LIMIT) throw new CyclometerError("line_too_long", `the request is longer than ${LINE_LIMIT} bytes`);
    this.#socket.write(line + "\n");
    return id;
  }

  #lose(reason) {
    reason = this.#lastWords ?? reason;
    const wasFollowing = this.#stage === "following";
    if (!wasFollowing && ![...PASSING, "disconnected", "timed_out"].includes(reason.code)) return this.#end(reason, true);
    this.#drop(reason, "away");
    if (wasFollowing && performance.now() - this.#began >= LONGEST_PAUSE) this.#pause = FIRST_PAUSE;
    this.#timer = setTimeout(() => this.#connect(0), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    if (!this.#absent) this.emit("disconnected", reason);
    this.#absent = true;
  }

  #end(reason, hasFailed = false) {
    this.#drop(reason, "ended");
    for (const wake of this.#waiting.splice(0)) wake();
    if (hasFailed) this.emit("failed", reason);
  }

  #drop(reason, stage) {
    const socket = this.#socket;
    [this.#socket, this.#stage, this.#lastWords, this.#pieces, this.#length] = [null, stage, null, [], 0];
    this.#states.clear();
    clearTimeout(this.#timer);
    socket?.destroy();
    for (const { reject, timer } of this.#open.values()) (clearTimeout(timer), reject(reason));
    this.#open.clear();
  }
}

module.exports = { Client, CyclometerError, LIMITS };
