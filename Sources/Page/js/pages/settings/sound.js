// Which events make a sound, and how loud.

import { make } from "../../ui/elements.js";

const GROUPS = ["sound_clear", "sound_tires", "sound_lap", "sound_sensors"];

export function open(app, form) {
  const { texts, settings } = app;
  const save = key => value => settings.set(key, value);
  const cars = [["every", texts.get("every_car")], ["first", texts.get("first_car")], ["off", texts.get("sound_off")]];
  const lines = [
    form.slider(texts.get("volume"), settings.get("volume"), save("volume")),
    form.choice(texts.get("sound_cars"), settings.get("sound_cars"), cars, save("sound_cars")),
    ...GROUPS.map(key => form.toggle(texts.get(key), settings.get(key), save(key))),
  ];
  return { element: make("div", "page-body", make("div", "lines", ...lines)) };
}
