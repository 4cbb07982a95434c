// The statements that delete an activity with all its rows, for work that is done in slices.

package enum ActivityDeletion {
  /// Of the activity ?1, from the rows that refer to others on. A statement deletes at most `portion`
  /// rows, and is repeated while it deletes as many. The row of the activity goes last, so that a
  /// deletion that was interrupted can begin again.
  package static func statements(by portion: Int) -> [String] {
    [
      "DELETE FROM second WHERE id IN (SELECT id FROM second WHERE \(SecondRows.areOfActivity) LIMIT \(portion))",
      """
      DELETE FROM event WHERE activity = ?1 AND (at_ms, n) IN
        (SELECT at_ms, n FROM event WHERE activity = ?1 LIMIT \(portion))
      """,
      "DELETE FROM lap WHERE activity = ?1 AND n IN (SELECT n FROM lap WHERE activity = ?1 LIMIT \(portion))",
      """
      DELETE FROM effort WHERE activity = ?1 AND (segment, start_ms) IN
        (SELECT segment, start_ms FROM effort WHERE activity = ?1 LIMIT \(portion))
      """,
      "DELETE FROM stream WHERE id IN (SELECT id FROM stream WHERE activity = ?1 LIMIT \(portion))",
      "DELETE FROM part WHERE activity = ?1",
      "DELETE FROM activity WHERE id = ?1",
    ]
  }
}
