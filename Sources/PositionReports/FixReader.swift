// Extracts fixes from gpsd's reports. It follows one receiver as long as that has fixes, and adds
// what the receiver reports about satellites. Live reports and captures are handled alike.

public import CaptureFormat
public import JSON
public import Metrics
public import Time

public struct FixReader: Sendable {
  private var sky: (told: GPSDSky, at: MonotonicTime)?
  /// The current receiver, and when it last had a fix.
  private var source: (device: String?, lastFix: MonotonicTime?)?

  /// Seconds; satellites do not change faster.
  private static let skyPause = 5.0
  /// Seconds after which satellite data no longer apply to a fix.
  private static let skyMemory = 20.0
  /// Seconds without a fix before another receiver is used. This is longer than the interval of
  /// fixes at the slow rate.
  private static let loyalty = 7.0

  public init() {}

  /// Whether a SKY report is needed now.
  public func wantsSky(at time: MonotonicTime) -> Bool {
    guard let sky else { return true }
    return sky.told.satellites == nil || time.seconds(since: sky.at) >= Self.skyPause
  }

  /// Handles a SKY report.
  public mutating func take(sky report: JSONValue, at time: MonotonicTime) {
    let next = GPSDSky(report)
    if let source, next.device != source.device { return }
    if var known = sky?.told, known.device == next.device {
      known.update(next)
      sky = (known, time)
    } else {
      sky = (next, time)
    }
  }

  /// Handles a TPV report. Returns nil if it is from another receiver.
  public mutating func take(position report: JSONValue, at time: MonotonicTime) -> Fix? {
    let device = report["device"]?.text
    var fix = Fix(report, at: time)
    if source?.device != device || source == nil {
      if let lastFix = source?.lastFix, time.seconds(since: lastFix) < Self.loyalty { return nil }
      guard source == nil || fix.mode > .none else { return nil }
      if sky?.told.device != device { sky = nil }
      source = (device, nil)
    }
    if fix.mode > .none { source?.lastFix = time }
    if let sky, time.seconds(since: sky.at) <= Self.skyMemory {
      (fix.satellites, fix.dilution) = (sky.told.satellites, sky.told.dilution)
    }
    return fix
  }

  /// A receiver was unplugged.
  public mutating func forget(_ device: String) {
    guard let source, source.device == device else { return }
    (self.source, sky) = (nil, nil)
  }
}

// MARK: Captures

extension FixReader {
  /// Handles a stored line of gpsd and returns its fix, if any. Throws if it is not a gpsd report.
  public mutating func take(_ line: String, at time: MonotonicTime) throws(CaptureError) -> Fix? {
    guard let report = try? JSONValue.parse(Array(line.utf8)), let kind = report["class"]?.text else {
      throw CaptureError("a report of gpsd's is a JSON object with its class")
    }
    switch kind {
    case "TPV": return take(position: report, at: time)
    case "SKY": take(sky: report, at: time)
    case "DEVICE": if let device = GPSDDevice(report), !device.isActive { forget(device.path) }
    default: break
    }
    return nil
  }
}
