// A sensor sends its electrocardiogram only on command, because that costs its battery. The page
// starts it while a widget shows it on a bright screen, and stops it afterwards. Pure: the page's
// clock and what sends commands are passed in.

const START = "start_ecg";
const STOP = "stop_ecg";
/** A strap that connects again, or that another screen has stopped, sends nothing: it is started again. */
const SILENCE_S = 5;
const AGAIN_S = 10;

export class ECGControl {
  #running = null;
  #asked = -Infinity;

  /** @param {(sensor: string, name: string) => Promise<void>} command rejects what the sensor refuses */
  constructor(command) {
    this.command = command;
  }

  /** @param {boolean} isShown whether a widget shows the curve, on a bright screen */
  update({ store, now, seconds }, isShown) {
    const sensor = isShown ? sensorOf(store) : undefined;
    if (this.#running !== null && this.#running !== sensor) this.#stop();
    if (sensor === undefined || store.state(sensor)?.state !== "streaming") return;
    const sample = store.sample(sensor, "ecg");
    const isSilent = !sample || now === null || now - sample.t > SILENCE_S;
    if (!isSilent || seconds - this.#asked < AGAIN_S) return;
    this.#asked = seconds;
    this.#running = sensor;
    this.command(sensor, START).catch(() => {});
  }

  #stop() {
    this.command(this.#running, STOP).catch(() => {});
    this.#running = null;
    this.#asked = -Infinity;
  }
}

function sensorOf(store) {
  const canStart = id => store.sensor(id)?.commands?.some(({ name }) => name === START);
  return store.sensorsOf("ecg").find(canStart);
}
