// A lap, a trackpoint and a cue of a TCX file while their elements are read.

import Earth
import Expat

struct TCXLap {
  let start: Int64?
  private(set) var values = FieldValues<SummaryField>()
  private(set) var trigger = ActivityLap.Trigger.manual

  init(_ attributes: [XMLAttribute]) {
    start = attributes.first { $0.name.local == "StartTime" }.flatMap { DateText($0.value) }?.seconds
  }

  /// The schema requires some values, so 0 can mean that nothing is known.
  mutating func set(_ parent: String?, _ name: String, _ text: String) {
    if name == "TriggerMethod" {
      trigger = TCXNames.trigger(named: text.trimmed(to: 50) ?? "")
    } else if let field = Self.fields[name == "Value" ? parent ?? "" : name], let value = Double(decimal: text),
      value > 0, value < 1e9
    {
      values[field] = value
    }
  }

  private static let fields: [String: SummaryField] = [
    "TotalTimeSeconds": .timerTime, "DistanceMeters": .distance, "MaximumSpeed": .maxSpeed, "Calories": .energy,
    "AverageHeartRateBpm": .averageHeartRate, "MaximumHeartRateBpm": .maxHeartRate, "Cadence": .averageCadence,
    "AvgSpeed": .averageSpeed, "MaxBikeCadence": .maxCadence, "AvgRunCadence": .averageCadence,
    "MaxRunCadence": .maxCadence, "AvgWatts": .averagePower, "MaxWatts": .maxPower,
  ]
}

struct TCXPoint {
  private(set) var values = ActivityPoint(t: 0)
  private(set) var time: DateText?
  private(set) var hasImpossibleTime = false
  private(set) var hasImpossiblePosition = false
  private var latitude: Double?

  /// False if the name is unknown.
  mutating func set(_ parent: String?, _ name: String, _ text: String) -> Bool {
    switch name {
    case "Time":
      time = DateText(text)
      hasImpossibleTime = time == nil
    case "LatitudeDegrees": latitude = Double(decimal: text)
    case "LongitudeDegrees": setPosition(longitude: Double(decimal: text))
    case "Value":
      if parent == "HeartRateBpm" { values.set(.heartRate, text: text) }
    default:
      guard let field = Self.fields[name] else { return Self.others.contains(name) }
      values.set(field, text: text)
    }
    return true
  }

  private mutating func setPosition(longitude: Double?) {
    values.position = latitude.flatMap { latitude in
      longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) }
    }
    hasImpossiblePosition = values.position == nil
  }

  private static let fields: [String: PointField] = [
    "AltitudeMeters": .altitude, "DistanceMeters": .distance, "Cadence": .cadence, "RunCadence": .cadence,
    "Speed": .speed, "Watts": .power,
  ]

  private static let others: Set<String> = [
    "Position", "HeartRateBpm", "SensorState", "Extensions", "TPX", "TotalTimeSeconds",
  ]
}

struct TCXCue {
  private(set) var time: Int64?
  private(set) var position: Coordinate?
  private var kind = CueKind.generic
  private var name: String?
  private var note: String?
  private var latitude: Double?

  mutating func set(_ name: String, _ text: String) {
    switch name {
    case "Time": time = DateText(text)?.seconds
    case "LatitudeDegrees": latitude = Double(decimal: text)
    case "LongitudeDegrees":
      position = latitude.flatMap { latitude in
        Double(decimal: text).flatMap { Coordinate(latitude: latitude, longitude: $0) }
      }
    case "Name": self.name = text.trimmed(to: 200)
    case "Notes": note = text.trimmed(to: 1000)
    case "PointType": kind = TCXNames.cue(named: text.trimmed(to: 50) ?? "")
    default: break
    }
  }

  var cue: RouteCue {
    var cue = RouteCue(kind: kind, position: position)
    (cue.name, cue.note) = Self.texts(name: name, notes: note)
    return cue
  }

  /// Names are cut to a few letters. If the notes begin with the name, their first line is the whole
  /// one.
  static func texts(name: String?, notes: String?) -> (name: String?, note: String?) {
    guard let name, let notes, notes.hasPrefix(name) else { return (name ?? notes, name == nil ? nil : notes) }
    return firstLine(notes)
  }

  /// The first line is a name, the others are a note.
  static func firstLine(_ text: String) -> (name: String?, note: String?) {
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    return (String(text[..<end]).trimmed(to: 200), String(text[end...]).trimmed(to: 10_000))
  }
}
