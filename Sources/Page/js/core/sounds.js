// The sounds of events: tones as numbers, and how they are put on an audio context. Nothing here
// knows the speaker, so that tests render the same sounds without one.

const ATTACK_S = .005;
const RELEASE_S = .03;

/** Tones as `frequency·milliseconds`, gaps as milliseconds between them. */
const table = {
  radar_fast: { rank: 1, group: "radar", timbre: "bright", tones: twice("1480·90 30 1760·90 30 2093·140", 120) },
  radar_close: { rank: 2, group: "radar", tones: "2093·60 50 2093·60 50 2093·60 50 2093·60" },
  radar_car: { rank: 3, group: "radar", tones: "1175·110 40 1480·140" },
  radar_lost: { rank: 4, group: "radar", tones: "440·220 80 330·320" },
  warning: { rank: 5, group: "tires", tones: "740·120 60 740·120 60 554·220" },
  radar_clear: { rank: 6, group: "clear", level: -8, tones: "784·90 20 587·160" },
  lap: { rank: 7, group: "lap", tones: "988·80" },
  notice: { rank: 8, group: "sensors", tones: "523·120" },
};

function twice(tones, gap) {
  return `${tones} ${gap} ${tones}`;
}

export const SOUNDS = Object.fromEntries(Object.entries(table).map(([name, sound]) => [name, { ...sound, tones: parse(sound.tones) }]));

/** @returns {{hz: number, start: number, length: number}[]} in seconds */
function parse(text) {
  let at = 0;
  const tones = [];
  for (const word of text.split(" ")) {
    const [hz, milliseconds] = word.split("·").map(Number);
    if (milliseconds === undefined) {
      at += hz / 1000;
      continue;
    }
    tones.push({ hz, start: at, length: milliseconds / 1000 });
    at += milliseconds / 1000;
  }
  return tones;
}

export function lengthOf(name) {
  const tones = SOUNDS[name].tones;
  const last = tones[tones.length - 1];
  return last.start + last.length;
}

function amplitude(decibels) {
  return 10 ** (decibels / 20);
}

/** A triangle as its harmonics; `second` is the amplitude of the second one beside the first. */
function makeWave(context, second) {
  const count = 12;
  const sines = new Float32Array(count);
  for (let harmonic = 1; harmonic < count; harmonic += 2) {
    sines[harmonic] = (harmonic % 4 === 1 ? 1 : -1) / harmonic ** 2;
  }
  sines[2] = second;
  return context.createPeriodicWave(new Float32Array(count), sines);
}

/**
 * Puts a sound on a context.
 * @param {BaseAudioContext} context
 * @param {AudioNode} output
 * @param {number} volume 0 to 1
 * @param {number} at when it begins, on the context's clock
 * @returns {{end: number, stop: () => void}}
 */
export function schedule(context, output, name, volume, at) {
  const { tones, level = 0, timbre } = SOUNDS[name];
  const wave = makeWave(context, timbre === "bright" ? amplitude(-9) : 0);
  const gain = context.createGain();
  gain.gain.value = volume * amplitude(level);
  gain.connect(output);
  const oscillators = tones.map(({ hz, start, length }) => {
    const envelope = context.createGain();
    const from = at + start, to = from + length;
    envelope.gain.setValueAtTime(0, from);
    envelope.gain.linearRampToValueAtTime(1, from + ATTACK_S);
    envelope.gain.setValueAtTime(1, to - RELEASE_S);
    envelope.gain.linearRampToValueAtTime(0, to);
    const oscillator = context.createOscillator();
    oscillator.setPeriodicWave(wave);
    oscillator.frequency.value = hz;
    oscillator.connect(envelope).connect(gain);
    oscillator.start(from);
    oscillator.stop(to);
    return oscillator;
  });
  return {
    end: at + lengthOf(name),
    stop() {
      gain.disconnect();
      for (const oscillator of oscillators) oscillator.stop();
    },
  };
}

const SAME_S = 1.5;

/** Which sound plays when several are due: the more important one, and at most one waits. */
export class SoundOrder {
  #playing = null;
  #waiting = null;
  #last = new Map();

  /** @returns {"start"|"wait"|"none"} */
  request(name, seconds) {
    if (seconds - (this.#last.get(name) ?? -Infinity) < SAME_S) return "none";
    this.#last.set(name, seconds);
    const rank = SOUNDS[name].rank;
    if (!this.#playing || seconds >= this.#playing.end || rank < SOUNDS[this.#playing.name].rank) {
      this.#start(name, seconds);
      return "start";
    }
    if (this.#waiting && SOUNDS[this.#waiting].rank <= rank) return "none";
    this.#waiting = name;
    return "wait";
  }

  /** The sound that is due now, after the one before it has ended. */
  next(seconds) {
    if (!this.#waiting || (this.#playing && seconds < this.#playing.end)) return null;
    const name = this.#waiting;
    this.#waiting = null;
    this.#start(name, seconds);
    return name;
  }

  get end() {
    return this.#playing?.end ?? -Infinity;
  }

  #start(name, seconds) {
    this.#playing = { name, end: seconds + lengthOf(name) };
  }
}
