// Live regions: a screen reader speaks alerts and cues at once, and status at most every 10 s. Values are never
// announced.

const STATUS_S = 10;
/** Its texts have a distance, which is wrong a few seconds later. */
const URGENT = "route";

export class Announcer {
  #alert = null;
  #lastStatus = -Infinity;
  #waiting = [];

  constructor(alert, status, texts) {
    this.alert = alert;
    this.status = status;
    this.texts = texts;
  }

  /** @param {string} [topic] a text takes the place of an older one of its topic that still waits */
  say(text, topic) {
    const place = this.#waiting.findIndex(each => each.text === text || (topic !== undefined && each.topic === topic));
    if (place < 0) this.#waiting.push({ text, topic });
    else this.#waiting[place] = { text, topic };
  }

  /**
   * @param {{isCutOff: boolean, isWithoutDaemon: boolean, seconds: number}} context
   * @param {string} radar the state of the lane
   */
  update({ isCutOff, isWithoutDaemon, seconds }, radar) {
    const withoutCar = isWithoutDaemon ? "no_daemon" : null;
    const key = isCutOff ? "cut_off" : { fast: "fast_car", lost: "radar_lost" }[radar] ?? withoutCar;
    if (key !== this.#alert) {
      this.#alert = key;
      this.alert.textContent = key ? this.texts.get(key) : "";
    }
    const isUrgent = this.#waiting.some(({ topic }) => topic === URGENT);
    if (this.#waiting.length === 0 || (!isUrgent && seconds - this.#lastStatus < STATUS_S)) return;
    this.#lastStatus = seconds;
    this.status.textContent = this.#waiting.splice(0).map(({ text }) => text).join(". ");
  }
}
