// The formats of files, and what those that are written leave out.

import Time

public enum ActivityFormat: String, CaseIterable, Sendable {
  case fit, gpx, tcx, csv
  /// Only read: what workout apps export.
  case json
  /// A backup of a whole logbook, which is not an activity.
  case backup

  static let noPositions =
    "this activity has no positions, and each point of a GPX file needs one; use TCX or FIT"

  /// The formats that a writer exists for.
  public static let written: [ActivityFormat] = [.fit, .gpx, .tcx, .csv]

  /// nil if the format is only read. A FIT writer that is made here writes no size: see FITWriter.
  public func makeWriter() -> (any ActivityWriter)? {
    switch self {
    case .fit: FITWriter()
    case .gpx: GPXWriter()
    case .tcx: TCXWriter()
    case .csv: CSVWriter()
    case .json, .backup: nil
    }
  }

  /// Why the format cannot hold the activity, in a sentence for the user; nil if it can.
  public func refusal(for contents: ActivityContents) -> String? {
    guard !contents.isRoute else {
      return self == .csv ? "a route cannot be written as CSV; use FIT, GPX or TCX" : nil
    }
    return switch self {
    case .gpx: contents.hasPositions ? nil : Self.noPositions
    case .csv:
      contents.hasPoints ? nil : "the activity has no measured points, and CSV has nothing else; use FIT or TCX"
    case .fit, .tcx: nil
    case .json, .backup: "this format is only read"
    }
  }

  /// What of the activity a file of this format does not have, for the user: "laps", "power".
  public func omissions(for contents: ActivityContents) -> [String] {
    if contents.isRoute {
      if self == .fit, contents.hasRouteNotes { return ["notes"] }
      return self == .tcx && contents.hasFineCues ? ["some kinds of turns"] : []
    }
    guard Self.written.contains(self), self != .fit else { return [] }
    let isXML = self != .csv
    let parts: [(isLost: Bool, words: String)] = [
      (self == .gpx && contents.hasPointsWithoutPosition, "points without a position"),
      (self == .gpx && contents.hasLaps, "laps"),
      (self == .gpx && contents.hasSummary, "totals and averages"),
      (self == .csv && contents.hasSummary, "totals and averages, name and sport"),
      (contents.hasPauses, "pauses, which become gaps"),
      (contents.hasBeats && isXML, "intervals between heartbeats"),
      (contents.hasRadar, "radar"),
      (contents.hasZones, "time in zones"),
      (contents.hasDevices, "sensors and their batteries"),
      (contents.hasOtherEvents, "events of devices"),
      (contents.hasRider, "the rider's data"),
    ]
    let known = knownFields
    return parts.filter(\.isLost).map(\.words)
      + PointField.allCases.filter { contents.has($0) && !known.contains($0) }.map(\.words)
  }

  private var knownFields: Set<PointField> {
    switch self {
    case .gpx: [.altitude, .speed, .heartRate, .power, .cadence, .airTemperature]
    case .tcx: [.altitude, .speed, .distance, .heartRate, .power, .cadence]
    case .csv: CSVWriter.knownFields
    case .fit, .json, .backup: Set(PointField.allCases)
    }
  }
}

extension ActivityHeader {
  func requireStart(for format: String) throws(ActivityFileError) -> WallTime {
    guard let start, !start.isBeforeFIT else {
      throw ActivityFileError(
        "the date of this activity is unknown, and \(format) files need one; give a start time")
    }
    return start
  }
}

extension WallTime {
  /// Such dates come from a clock that was not set. All formats refuse what FIT refuses.
  var isBeforeFIT: Bool { !FITTime(unix: seconds).isDate }
}

extension PointField {
  /// For the user.
  var words: String {
    switch self {
    case .altitude: "altitude"
    case .speed: "speed"
    case .distance: "distance"
    case .heartRate: "heart rate"
    case .power: "power"
    case .cadence: "cadence"
    case .leftBalance: "pedal balance"
    case .balance: "pedal balance of an unknown side"
    case .grade: "grade"
    case .airTemperature: "air temperature"
    case .muscleOxygen: "muscle oxygen"
    case .hemoglobin: "hemoglobin"
    case .coreTemperature: "core temperature"
    case .skinTemperature: "skin temperature"
    case .heatStrainIndex: "heat strain index"
    case .breathingRate: "breathing rate"
    case .frontTirePressure: "tire pressure (front)"
    case .rearTirePressure: "tire pressure (rear)"
    case .airPressure: "air pressure"
    case .energy: "energy so far"
    case .vehicleCount: "vehicles that passed"
    case .verticalSpeed: "vertical speed"
    case .positionAccuracy: "accuracy of the position"
    case .leftTorqueEffectiveness: "torque effectiveness (left)"
    case .rightTorqueEffectiveness: "torque effectiveness (right)"
    case .leftPedalSmoothness: "pedal smoothness (left)"
    case .rightPedalSmoothness: "pedal smoothness (right)"
    case .combinedPedalSmoothness: "pedal smoothness"
    case .motorPower: "motor power"
    }
  }
}
