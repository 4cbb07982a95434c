// The newest sample of each sensor and kind, and the state of each sensor. The only memory of the
// page: widgets read it, the stream writes it.

const DERIVED = "ride";
/** After a ride, a sensor goes on and the last value of the ride stays. This much later, the ride is over. */
const WITHOUT_RIDE_S = 4;

export class Store {
  #samples = new Map();
  #states = new Map();
  #sensors = new Map();
  adapter = null;
  /** What the server tells of the recorder, of the guide and of the daemon; null until it does. */
  recorder = null;
  guide = null;
  daemon = null;

  /** @param {boolean} withValues false for a frame that is too late: states count, values do not */
  record(records, withValues = true) {
    const events = [];
    for (const record of records) {
      switch (record.class) {
      case "sample":
        if (withValues) this.#recordSample(record);
        break;
      case "state":
        this.#states.set(record.sensor, record);
        break;
      case "sensor":
        this.#recordSensor(record);
        break;
      case "adapter":
        this.adapter = record;
        break;
      case "recorder":
        this.recorder = record;
        break;
      case "guide":
        this.guide = record;
        break;
      case "daemon":
        this.daemon = record;
        break;
      case "event":
        if (withValues) events.push(record);
        break;
      }
    }
    return events;
  }

  #recordSample(sample) {
    const key = `${sample.sensor}/${sample.kind}`;
    const known = this.#samples.get(key);
    if (!known || sample.t >= known.t) this.#samples.set(key, sample);
  }

  #recordSensor(record) {
    const sensor = record.sensor;
    if (record.change === "removed") {
      this.#sensors.delete(sensor.id);
      this.#states.delete(sensor.id);
      for (const key of this.#samples.keys()) {
        if (key.startsWith(`${sensor.id}/`)) this.#samples.delete(key);
      }
      return;
    }
    this.#sensors.set(sensor.id, sensor);
    if (sensor.state) this.#states.set(sensor.id, { ...sensor, sensor: sensor.id });
  }

  clear() {
    this.#samples.clear();
    this.#states.clear();
    this.#sensors.clear();
    this.adapter = null;
    this.recorder = null;
    this.guide = null;
    this.daemon = null;
  }

  /** Whether the server has no daemon that answers. */
  get isWithoutDaemon() {
    return this.daemon?.present === false;
  }

  /** The paired sensors. */
  get sensors() {
    return [...this.#sensors.values()];
  }

  sensor(id) {
    return this.#sensors.get(id);
  }

  samplesOf(id) {
    return [...this.#samples.values()].filter(sample => sample.sensor === id);
  }

  sample(sensor, kind) {
    return this.#samples.get(`${sensor}/${kind}`);
  }

  state(sensor) {
    return this.#states.get(sensor);
  }

  get states() {
    return [...this.#states.values()];
  }

  /** Ids of paired sensors that have a kind, those that stream first. */
  sensorsOf(kind) {
    const ids = new Set();
    for (const [id, sensor] of this.#sensors) if (sensor.kinds?.includes(kind)) ids.add(id);
    for (const sample of this.#samples.values()) {
      if (sample.kind === kind && sample.sensor !== DERIVED) ids.add(sample.sensor);
    }
    const rank = id => (this.#states.get(id)?.state === "streaming" ? 0 : 1);
    return [...ids].sort((a, b) => rank(a) - rank(b));
  }

  /** The sample a value is read from: a named sensor's, else the ride's, else the first that streams. */
  newest(kind, sensor) {
    if (sensor) return this.sample(sensor, kind);
    const derived = this.sample(DERIVED, kind);
    const measured = this.sensorsOf(kind).map(id => this.sample(id, kind)).find(sample => sample);
    const isPast = derived && measured && measured.t - derived.t > WITHOUT_RIDE_S;
    return isPast ? measured : derived ?? measured;
  }

  /** `radar` of any sensor: the newest. */
  get radar() {
    return this.newest("radar");
  }

  get ride() {
    return this.sample(DERIVED, "ride");
  }
}
