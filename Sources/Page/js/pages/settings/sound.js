// Which events make a sound, how loud, and what is spoken.

import { make } from "../../ui/elements.js";

const GROUPS = ["sound_clear", "sound_tires", "sound_lap", "sound_sensors"];
const SOUNDS = ["radar_fast", "radar_close", "radar_car", "radar_lost", "radar_clear", "warning", "lap", "notice"];
const SPOKEN = ["1min", "5min", "10min", "1km", "5km", "10km"];

export function open(app, form) {
  const { texts, settings } = app;
  const save = key => value => settings.set(key, value);
  const cars = [["every", texts.get("every_car")], ["first", texts.get("first_car")], ["off", texts.get("sound_off")]];
  const lines = [
    form.slider(texts.get("volume"), settings.get("volume"), save("volume")),
    form.choice(texts.get("sound_cars"), settings.get("sound_cars"), cars, save("sound_cars")),
    ...GROUPS.map(key => form.toggle(texts.get(key), settings.get(key), save(key))),
  ];
  const times = [["off", texts.get("sound_off")], ...SPOKEN.map(key => [key, texts.get("speak_every", key.replace(/(min|km)/, " $1"))])];
  const speak = form.choice(texts.get("speak"), settings.get("speak"), times, save("speak"), texts.get("speak_hint"));
  const tests = SOUNDS.map(name => form.button(texts.get(`test_${name}`), () => app.riding.sounds.test(name)));
  return {
    element: make("div", "page-body", make("div", "lines section", ...lines), make("div", "lines section", speak),
      form.section(texts.get("test_sounds"), make("div", "tests", ...tests))),
  };
}
