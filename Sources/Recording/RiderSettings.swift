// The settings of the rider and of the bikes at the start and at the end of a recording, as
// `StoredRider` reads them.

import JSON

struct RiderSettings {
  private(set) var start: JSONValue?
  private(set) var end: JSONValue?

  /// Goes on with what is stored.
  init(text: String? = nil) {
    let stored = text.flatMap { try? JSONValue.parse($0) }
    (start, end) = (stored?["start"], stored?["end"])
  }

  /// The first answers are those at the start, and the last ones those at the end.
  mutating func add(rider: JSONValue, bike: JSONValue) {
    let settings: JSONValue = ["rider": rider, "bike": bike]
    if start == nil { start = settings } else { end = settings }
  }

  /// Nil without any answer.
  var text: String? {
    guard let start else { return nil }
    var members = [JSONValue.Member("start", start)]
    if let end { members.append(JSONValue.Member("end", end)) }
    return JSONValue.object(members).encoded
  }

  /// The bike that was ridden.
  static func currentBike(_ bike: JSONValue) -> String? { bike["current"]?.text }
}
