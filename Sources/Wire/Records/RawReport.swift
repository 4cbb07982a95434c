// A report from gpsd, verbatim, as a record of a running capture.

import CaptureFormat
public import JSON
public import Time

public struct RawReport: Record {
  public static let className = RawRecord.className
  /// The values of `sensor` and `op`.
  private static let (sensor, operation) = (CaptureLine.positionName, "report")

  public let time: MonotonicTime
  public let report: String

  public init(time: MonotonicTime, report: String) {
    self.time = time
    self.report = report
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("sensor", Self.sensor)
    writer.member("t", time)
    writer.member("op", Self.operation)
    writer.member("report", report)
  }

  public init?(_ json: JSONValue) {
    guard json["op"]?.text == Self.operation, let time = json["t"].flatMap(MonotonicTime.init(wire:)),
      let report = json["report"]?.text
    else { return nil }
    self.init(time: time, report: report)
  }
}
