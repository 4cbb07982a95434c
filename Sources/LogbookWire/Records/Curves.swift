// What `series` and `track` transfer: one JSON object each.

package import JSON
package import Wire

/// A number or, as null, none.
package struct Reading: WireValue {
  package let value: Double?

  package init(_ value: Double?) { self.value = value }

  package init?(wire json: JSONValue) {
    if json == .null {
      value = nil
    } else if let number = json.number {
      value = number
    } else {
      return nil
    }
  }

  package func write(into writer: inout JSONWriter) {
    if let value, value.isFinite { writer.number(value) } else { writer.encoded(Array("null".utf8)[...]) }
  }
}

/// The content of a `series` transfer: fields over time. A gap starts a new piece.
package struct SeriesDocument: WireObject {
  package var id = 0
  /// The duration of a point.
  package var stepS = 1.0
  package var pieces: [SeriesPiece] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("step_s", &stepS)
    members.needed("pieces", &pieces)
  }
}

package struct SeriesPiece: WireObject {
  /// Of the first point, since the start of the activity.
  package var startS = 0.0
  package var fields: [SeriesValues] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("start_s", &startS)
    members.needed("fields", &fields)
  }
}

/// One field of a piece: a number per point in each list, or null.
package struct SeriesValues: WireObject {
  package var field = ""
  package var minima: [Reading] = []
  package var means: [Reading] = []
  package var maxima: [Reading] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("field", &field)
    members.needed("min", &minima)
    members.needed("mean", &means)
    members.needed("max", &maxima)
  }
}

/// The content of a `track` transfer. A gap starts a new piece.
package struct TrackDocument: WireObject {
  package var id = 0
  package var pieces: [TrackPiece] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("pieces", &pieces)
  }
}

package struct TrackPiece: WireObject {
  package var points: [TrackPoint] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("points", &points)
  }
}

package struct TrackPoint: WireObject {
  /// Since the start of the activity. Routes have none.
  package var atS: Double?
  package var distanceM: Double?
  package var latitudeDeg = 0.0
  package var longitudeDeg = 0.0
  package var altitudeM: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("at_s", &atS)
    members.member("distance_m", &distanceM)
    members.needed("latitude_deg", &latitudeDeg)
    members.needed("longitude_deg", &longitudeDeg)
    members.member("altitude_m", &altitudeM)
  }
}
