// English texts of the coach.
export default {
  coach: "Coach", coach_actual: "Actual", coach_difference: "Difference", coach_play: "Play", coach_pause: "Pause",
  coach_less: "{0}: less", coach_more: "{0}: more",
  coach_source: "Speed from", coach_by_hand: "By hand", coach_follow: "Foot pod or GPS",
  coach_followed: "Follows {0}.", coach_standing: "You are standing.", coach_stale: "The speed is {0} old.",
  coach_lost: "The speed is lost.", coach_no_speed: "No foot pod or GPS has sent a speed yet.",
  coach_kept: "The beat stays at {0} per minute.",
  coach_preference: "Preference", coach_preference_hint: "Steps per minute more or less than the formula.",
  coach_no_height: "Without your height, the target depends on the speed alone.",
  coach_height_range: "A height is from 1 to 2.5 m.",
  coach_beat: "Beat", coach_every: "Beat on", coach_every_step: "Every step", coach_other_step: "Every other step",
  coach_sound: "Sound", coach_click: "Click", coach_wood: "Wood", coach_drum: "Drum",
  coach_hidden_hint: "If the browser allows it, the beat goes on while the page is hidden.",
  coach_vibration: "Vibration", coach_vibration_hint: "Only while the page is visible.",
  coach_blocked: "The browser does not play sound. Press Play again.",
  coach_stopped: "The browser stopped the beat.",
  coach_silent: "The volume is 0. You can change it in the status panel.",
};
