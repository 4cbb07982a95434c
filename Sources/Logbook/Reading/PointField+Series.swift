// The names of series: those of the protocol's fields where it has them.

package import ActivityFiles

extension PointField {
  package var seriesName: String {
    switch self {
    case .heartRate: "bpm"
    // The other names are the same in text formats and in the protocol.
    default: name
    }
  }

  package init?(seriesName: String) {
    guard let field = Self.allCases.first(where: { $0.seriesName == seriesName }) else { return nil }
    self = field
  }
}
