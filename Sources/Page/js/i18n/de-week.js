// German texts of the statistics.
export default {
  statistics: "Statistik", totals: "Summen", statistics_by: "Zeitraum", statistics_of: "Was die Grafik zeigt",
  by_week: "Woche", by_month: "Monat", by_year: "Jahr", this_week: "Diese Woche", this_month: "Dieser Monat", this_year: "Dieses Jahr",
  activities: "Aktivitäten", training_load: "Last", highest: "höchstens {0}",
  without_load: "Ohne Trainingslast: {0} von {1} Aktivitäten. Sie haben weder Leistung noch Puls, oder die Schwellen des Fahrers waren nicht gesetzt (Optionen, Fahrer).",
  fitness: "Fitness", fatigue: "Ermüdung", form: "Form", fitness_range: "Zeit, die die Grafik zeigt",
  range_3_months: "3 Monate", range_6_months: "6 Monate", range_1_year: "1 Jahr",
  fitness_hint: "Fitness ist das Mittel der Trainingslast über 42 Tage, Ermüdung das über 7. Form ist der Unterschied am Tag davor.",
  fitness_course: "{0} ging von {1} auf {2}, höchstens {3}.", no_fitness: "In dieser Zeit gibt es keine Aktivität.",
  records: "Rekorde", records_of: "{0}: {1} Aktivitäten", records_of_1: "{0}: 1 Aktivität", no_records: "Es gibt noch keine Rekorde.",
  record_farthest: "Weiteste", record_longest: "Längste", record_fastest: "Schnellste", record_most_ascent: "Meiste Höhenmeter", best_power: "Beste Leistung, {0}",
  streaks: "Serien", streak_days: "Tage am Stück", streak_weeks: "Wochen am Stück", streak: "{0}, längste {1}",
};
