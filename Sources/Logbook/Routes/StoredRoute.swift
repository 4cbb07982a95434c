// A row of the table `route`.

package struct StoredRoute: Equatable, Sendable {
  package var id: Int64 = 0
  package var uuid: [UInt8] = []
  package var name: String?
  package var note: String?
  /// Where it comes from: the format of a file, or the source of an activity.
  package var source: String?
  /// The same for the same file.
  package var sourceHash: [UInt8]?
  package var distanceM = 0.0
  package var ascentM: Double?
  package var descentM: Double?
  /// How many there are. They are numbered from 0.
  package var points = 0
  package var cues = 0
  package var addedUTCMS: Int64?

  package init() {}
}
