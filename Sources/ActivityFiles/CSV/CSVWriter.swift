// Writes the points of an activity for spreadsheets: one line for each, empty where a value is
// unknown. All cells are numbers or dates, so none needs quotes.

import Earth
import Time

public struct CSVWriter: ActivityWriter {
  private static let fields: [PointField] = [
    .altitude, .speed, .distance, .heartRate, .cadence, .power, .leftBalance, .grade, .airTemperature, .muscleOxygen,
    .hemoglobin, .coreTemperature, .breathingRate, .frontTirePressure, .rearTirePressure,
  ]

  static let knownFields = Set(fields)

  private var header: ActivityHeader?
  private var lastPoint: Int?
  /// How many laps have ended, if the header does not know them.
  private var endedLaps = 0

  public init() {}

  public mutating func write(_ item: ActivityItem, into output: inout [UInt8]) throws(ActivityFileError) {
    switch item {
    case .header(let header): try begin(header, into: &output)
    case .point(let point): write(point, into: &output)
    case .lap: endedLaps += 1
    case .device, .event, .zones, .summary, .routePoint, .cue, .warning, .omission: break
    }
  }

  public mutating func finish(into output: inout [UInt8]) throws(ActivityFileError) {
    guard header != nil else { throw ActivityFileError("there is no activity to write") }
    guard lastPoint != nil else {
      throw ActivityFileError("the activity has no measured points, and CSV has nothing else; use FIT or TCX")
    }
  }

  private mutating func begin(_ header: ActivityHeader, into output: inout [UInt8]) throws(ActivityFileError) {
    guard self.header == nil else { throw ActivityFileError("a CSV file holds one activity; export each by itself") }
    guard header.content == .activity else {
      throw ActivityFileError("a route cannot be written as CSV; use FIT, GPX or TCX")
    }
    self.header = header
    output.append(text: "t,time,lat,lon,")
    for field in Self.fields { output.append(text: field.name + ",") }
    output.append(text: "lap,rr_ms\n")
  }

  private mutating func write(_ point: ActivityPoint, into output: inout [UInt8]) {
    guard let header, lastPoint.map({ point.t > $0 }) ?? true else { return }
    lastPoint = point.t
    output.append(text: "\(point.t),")
    if let start = header.start { output.append(date: start.advanced(by: Double(point.t))) }
    output.append(text: ",")
    if let position = point.position { output.append(degrees: position.latitude) }
    output.append(text: ",")
    if let position = point.position { output.append(degrees: position.longitude) }
    output.append(text: ",")
    for field in Self.fields {
      if let value = point[field] { output.append(number: value, decimals: 3) }
      output.append(text: ",")
    }
    output.append(text: "\(lapNumber(at: point.t, header.laps)),")
    for (index, interval) in point.beatIntervals.enumerated() {
      if index > 0 { output.append(text: " ") }
      output.append(number: interval, decimals: 1)
    }
    output.append(text: "\n")
  }

  /// Counts from 1.
  private func lapNumber(at t: Int, _ laps: [ActivityLap]) -> Int {
    guard !laps.isEmpty else { return endedLaps + 1 }
    return max(1, laps.partitioningIndex { $0.summary.start > t })
  }
}
