// Totals and laps of a file as JSON.

import ActivityFiles
import Earth
import JSON
import Wire

/// The column `lap.detail` of an activity that was imported.
struct KeptLap: WireObject {
  private var index = 0
  private var trigger = 0
  private var summary = KeptSummary()

  init() {}

  init(_ lap: ActivityLap) {
    (index, trigger, summary) = (lap.index, Int(lap.trigger.rawValue), KeptSummary(lap.summary))
  }

  init?(text: String?) {
    guard let lap = text.flatMap({ try? JSONValue.parse($0) }).flatMap({ KeptLap($0) }) else { return nil }
    self = lap
  }

  mutating func visit(_ members: inout Members) {
    members.needed("index", &index)
    members.needed("trigger", &trigger)
    members.needed("summary", &summary)
  }

  var lap: ActivityLap {
    ActivityLap(
      index: index, trigger: UInt8(exactly: trigger).flatMap(ActivityLap.Trigger.init(rawValue:)) ?? .manual,
      summary: summary.summary)
  }
}

struct KeptSummary: WireObject {
  private var start = 0
  private var elapsed = 0.0
  private var values = KeptValues()
  private var startPosition: KeptPosition?
  private var endPosition: KeptPosition?
  private var sport: Int?
  private var subSport: Int?
  private var utcOffset: Int?

  init() {}

  init(_ summary: ActivitySummary) {
    (start, elapsed, values) = (summary.start, summary.elapsed, KeptValues(summary.values))
    startPosition = summary.startPosition.map(KeptPosition.init)
    endPosition = summary.endPosition.map(KeptPosition.init)
    sport = summary.sport.map { Int($0.rawValue) }
    subSport = summary.subSport.map { Int($0.rawValue) }
    utcOffset = summary.utcOffset
  }

  mutating func visit(_ members: inout Members) {
    members.needed("start", &start)
    members.needed("elapsed", &elapsed)
    members.needed("values", &values)
    members.member("start_position", &startPosition)
    members.member("end_position", &endPosition)
    members.member("sport", &sport)
    members.member("sub_sport", &subSport)
    members.member("utc_offset_s", &utcOffset)
  }

  var summary: ActivitySummary {
    var summary = ActivitySummary(start: start, elapsed: elapsed)
    summary.values = values.values
    (summary.startPosition, summary.endPosition) = (startPosition?.coordinate, endPosition?.coordinate)
    (summary.sport, summary.subSport) = (code(sport), code(subSport))
    summary.utcOffset = utcOffset
    return summary
  }
}

/// An object of numbers with the names of the fields.
struct KeptValues: WireValue {
  private(set) var values = FieldValues<SummaryField>()

  init() {}

  init(_ values: FieldValues<SummaryField>) { self.values = values }

  init?(wire json: JSONValue) {
    guard json.members != nil else { return nil }
    for field in SummaryField.allCases { values[field] = json[field.name]?.number }
  }

  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    for field in SummaryField.allCases { writer.member(field.name, values[field]) }
    writer.endObject()
  }
}

/// In units of 10⁻⁹ degrees: numbers in JSON have only six decimals, and a file has finer ones.
struct KeptPosition: WireObject {
  private var latitude = 0
  private var longitude = 0

  init() {}

  init(_ place: Coordinate) {
    latitude = Int((place.latitude * 1e9).rounded())
    longitude = Int((place.longitude * 1e9).rounded())
  }

  mutating func visit(_ members: inout Members) {
    members.needed("latitude_ndeg", &latitude)
    members.needed("longitude_ndeg", &longitude)
  }

  var coordinate: Coordinate? {
    Coordinate(latitude: Double(latitude) / 1e9, longitude: Double(longitude) / 1e9)
  }
}
