// The numbers of the totals: the member of a row, and how it is written.

export const MEASURES = {
  distance: { member: "distance_m", caption: "distance", form: "one", quantity: "distance" },
  moving: { member: "moving_time_s", caption: "moving", form: "hours", unit: "h" },
  ascent: { member: "ascent_m", caption: "elevation", form: "whole", quantity: "height" },
  load: { member: "training_load", caption: "training_load", form: "whole" },
};

export const COUNT = { member: "activities", caption: "activities", form: "whole" };
