// How rows of the table `event` are added. The key is the time, so that an event costs one page of
// the log: with an index beside the table it would be two.

package enum EventRows {
  /// Adds an event of the activity ?1 at ?2, of the kind ?3 and with the data ?4, after all others of
  /// that moment.
  package static let insertion = """
    INSERT INTO event(activity, at_ms, n, kind, data) VALUES(?1, ?2,
      (SELECT coalesce(max(n), 0) + 1 FROM event WHERE activity = ?1 AND at_ms = ?2), ?3, ?4)
    """
}
