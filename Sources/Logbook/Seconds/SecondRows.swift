// How rows of the table `second` are found. Their id consists of the activity and its second, so that
// the rows of a ride are appended one after the other: a table with a key of two columns costs a
// third more writing. The columns `activity` and `sec` are computed from it, and no search can use
// them.

package enum SecondRows {
  /// The condition for those of the activity ?1.
  package static let areOfActivity = "id >= ?1 << 32 AND \(areBeforeNext)"
  /// The end of that range, for a search that begins at a certain second. A search has one beginning
  /// only: SQLite would walk from the first of two.
  package static let areBeforeNext = "id < (?1 + 1) << 32"
  /// Selects the last second of the activity ?1.
  static let last = "SELECT max(id) & 4294967295 FROM second WHERE \(areOfActivity)"

  static func place(of id: Int64) -> (activity: Int64, second: Int64) { (id >> 32, id & 0xffff_ffff) }
}
