// What is chosen in Settings: one document for all screens, and one for each class of screens. A key
// without a choice has its value from here.

const VERSION = 1;

/** For all screens. */
const RIDER = {
  units: { system: "metric" },
  language: "system",
  week_start: "system",
  radar_side: "left",
  do_not_disturb: false,
  lock_layout: false,
  sound_cars: "every",
  sound_clear: true,
  sound_tires: true,
  sound_lap: true,
  sound_sensors: true,
  speak: "off",
  coach: {},
};

/** For screens of one class. */
const SCREEN = { text_size: 100, bold_text: "system", scheme: "system", auto_dim: true, brightness: 100, volume: 70 };

export class Settings {
  #documents = new Map();

  /**
   * @param {import("./server.js").Server} server
   * @param {string} screen the class of this screen
   * @param {object} fixed what the address of the page sets, whatever is saved
   */
  constructor(server, screen, fixed = {}) {
    this.server = server;
    this.screen = screen;
    this.fixed = fixed;
    this.onChange = () => {};
  }

  async load() {
    await Promise.all(["rider", this.screen].map(name => this.#load(name)));
    this.onChange();
  }

  get(key) {
    if (key in this.fixed) return this.fixed[key];
    return this.#documents.get(nameOf(key, this.screen))?.json[key] ?? RIDER[key] ?? SCREEN[key];
  }

  get units() {
    return this.get("units");
  }

  /**
   * Saves at once. If another screen saved meanwhile, its other keys are kept.
   * @param {any} value a function gets the stored value, and returns the new one
   */
  async set(key, value) {
    const name = nameOf(key, this.screen);
    if (!this.#documents.has(name)) await this.#load(name);
    try {
      await this.#save(name, key, value);
    } catch (error) {
      if (error.status !== 412) throw error;
      await this.#load(name);
      await this.#save(name, key, value);
    }
    this.onChange(key);
  }

  /** Loads what another screen saved. */
  async follow(name, tag) {
    const known = this.#documents.get(name);
    if (!known || known.tag === tag) return;
    const language = this.get("language");
    await this.#load(name);
    this.onChange(this.get("language") === language ? undefined : "language");
  }

  async #load(name) {
    const { json, tag } = await this.server.load(pathOf(name));
    this.#documents.set(name, { json: json ?? { version: VERSION }, tag });
  }

  async #save(name, key, value) {
    const { json, tag } = this.#documents.get(name);
    const changed = { ...json, [key]: typeof value === "function" ? value(json[key] ?? RIDER[key] ?? SCREEN[key]) : value };
    this.#documents.set(name, { json: changed, tag: await this.server.save(pathOf(name), changed, tag) });
  }
}

function nameOf(key, screen) {
  return key in SCREEN ? screen : "rider";
}

function pathOf(name) {
  return `/api/1/settings/${name}`;
}
