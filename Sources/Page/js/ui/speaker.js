// Speaks the numbers of the ride every few minutes or kilometres, where the browser has a voice and
// the rider wants it.

const EVERY = {
  "1min": { seconds: 60 }, "5min": { seconds: 300 }, "10min": { seconds: 600 },
  "1km": { metres: 1000 }, "5km": { metres: 5000 }, "10km": { metres: 10_000 },
};

export class Speaker {
  #step = null;

  /** @param {object|undefined} synthesis of the browser */
  constructor(synthesis, language) {
    this.synthesis = synthesis;
    this.language = language;
  }

  /** @param {string} choice @param {() => string} makeText asked only when it is time */
  update(choice, ride, makeText) {
    const every = EVERY[choice];
    if (!every || !this.synthesis || !ride || ride.paused || ride.ended) {
      this.#step = null;
      return;
    }
    const step = every.seconds ? Math.floor(ride.ride_time_s / every.seconds) : Math.floor(ride.distance_m / every.metres);
    const isDue = this.#step !== null && step > this.#step;
    this.#step = step;
    if (isDue) this.#say(makeText());
  }

  #say(text) {
    const utterance = new window.SpeechSynthesisUtterance(text);
    utterance.lang = this.language;
    this.synthesis.speak(utterance);
  }
}
