// The texts of the chosen language.

import english from "./en.js";
import german from "./de.js";

const LANGUAGES = { en: english, de: german };

export class Texts {
  constructor(language) {
    this.language = language.slice(0, 2) in LANGUAGES ? language.slice(0, 2) : "en";
  }

  get(key, ...values) {
    const text = LANGUAGES[this.language][key] ?? english[key] ?? key;
    return text.replace(/\{(\d)\}/g, (_, index) => values[index]);
  }
}
