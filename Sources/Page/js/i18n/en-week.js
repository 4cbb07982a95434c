// English texts of the statistics. Complete, like en.js.
export default {
  statistics: "Statistics", totals: "Totals", statistics_by: "Period", statistics_of: "What the graph shows",
  by_week: "Week", by_month: "Month", by_year: "Year", this_week: "This week", this_month: "This month", this_year: "This year",
  activities: "Activities", training_load: "Load", highest: "highest {0}",
  without_load: "Without a training load: {0} of {1} activities. They have no power or heart rate, or the rider's thresholds were not set (Settings, Rider).",
  fitness: "Fitness", fatigue: "Fatigue", form: "Form", fitness_range: "Time that the graph shows",
  range_3_months: "3 months", range_6_months: "6 months", range_1_year: "1 year",
  fitness_hint: "Fitness is the mean of the training load over 42 days, fatigue over 7. Form is the difference on the day before.",
  fitness_course: "{0} went from {1} to {2}, highest {3}.", no_fitness: "There is no activity in this time.",
  records: "Records", records_of: "{0}: {1} activities", records_of_1: "{0}: 1 activity", no_records: "There are no records yet.",
  record_farthest: "Farthest", record_longest: "Longest", record_fastest: "Fastest", record_most_ascent: "Most ascent", best_power: "Best power, {0}",
  streaks: "Streaks", streak_days: "Days in a row", streak_weeks: "Weeks in a row", streak: "{0}, longest {1}",
};
