// What to do, or what there is, at a place of a route.

package struct Cue: Equatable, Sendable {
  /// The words of the logbook's cues. Others are kept.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package var rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let slightLeft = Kind(rawValue: "slight_left")
    package static let left = Kind(rawValue: "left")
    package static let sharpLeft = Kind(rawValue: "sharp_left")
    package static let slightRight = Kind(rawValue: "slight_right")
    package static let right = Kind(rawValue: "right")
    package static let sharpRight = Kind(rawValue: "sharp_right")
    package static let uTurn = Kind(rawValue: "u_turn")
  }

  /// Along the route, in metres.
  package var distanceM: Double
  package var kind: Kind
  package var text: String?

  package init(_ kind: Kind, atM distanceM: Double, text: String? = nil) {
    (self.kind, self.distanceM, self.text) = (kind, distanceM, text)
  }
}
