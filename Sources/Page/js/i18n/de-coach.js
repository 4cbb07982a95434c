// German texts of the coach.
export default {
  coach: "Coach", coach_actual: "Aktuell", coach_difference: "Differenz", coach_play: "Start", coach_pause: "Pause",
  coach_less: "{0}: weniger", coach_more: "{0}: mehr",
  coach_source: "Tempo von", coach_by_hand: "Von Hand", coach_follow: "Laufsensor oder GPS",
  coach_followed: "Folgt {0}.", coach_standing: "Du stehst.", coach_stale: "Das Tempo ist {0} alt.",
  coach_lost: "Das Tempo ist verloren.", coach_no_speed: "Weder Laufsensor noch GPS hat bisher ein Tempo gesendet.",
  coach_kept: "Der Takt bleibt bei {0} pro Minute.",
  coach_preference: "Vorliebe", coach_preference_hint: "Schritte pro Minute mehr oder weniger als die Formel.",
  coach_no_height: "Ohne deine Größe hängt das Soll nur vom Tempo ab.",
  coach_height_range: "Die Größe ist 1 bis 2,5 m.",
  coach_beat: "Takt", coach_every: "Takt bei", coach_every_step: "Jedem Schritt", coach_other_step: "Jedem zweiten Schritt",
  coach_sound: "Klang", coach_click: "Klick", coach_wood: "Holz", coach_drum: "Trommel",
  coach_hidden_hint: "Wenn der Browser es erlaubt, läuft der Takt weiter, während die Seite verborgen ist.",
  coach_vibration: "Vibration", coach_vibration_hint: "Nur solange die Seite sichtbar ist.",
  coach_blocked: "Der Browser spielt keinen Ton. Drücke noch einmal Start.",
  coach_stopped: "Der Browser hat den Takt angehalten.",
  coach_silent: "Die Lautstärke ist 0. Du kannst sie im Statusfenster ändern.",
};
