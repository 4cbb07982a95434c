// The fixes in what gpsd reports of all its receivers: one of them is listened to as long as it has any, and what was told of its
// satellites goes with them. Live and from a capture it is the same.

public import Metrics
public import SensorKit
public import Wire

public struct FixReader: Sendable {
  private var sky: (told: GPSDSky, at: MonotonicTime)?
  /// The receiver that is listened to, and when it had its last fix.
  private var source: (device: String?, lastFix: MonotonicTime?)?

  /// Satellites do not change faster.
  private static let skyPause = 5.0
  /// What was seen so long ago is not what this fix was reckoned from.
  private static let skyMemory = 20.0
  /// How long a receiver may be without a fix before another one is listened to: longer than the pause between two at the slow rate.
  private static let loyalty = 7.0

  public init() {}

  /// What would be told of satellites now is of use.
  public func wantsSky(at time: MonotonicTime) -> Bool {
    guard let sky else { return true }
    return sky.told.satellites == nil || time.seconds(since: sky.at) >= Self.skyPause
  }

  /// Takes a report of class SKY.
  public mutating func take(sky report: JSON, at time: MonotonicTime) {
    let next = GPSDSky(report)
    if let source, next.device != source.device { return }
    if var known = sky?.told, known.device == next.device {
      known.update(next)
      sky = (known, time)
    } else {
      sky = (next, time)
    }
  }

  /// Takes a report of class TPV; nil where it is another receiver's than the one that is listened to.
  public mutating func take(position report: JSON, at time: MonotonicTime) -> Fix? {
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
  /// A line of gpsd's as it was kept, and the fix in it. What has none is no error; what is no report of gpsd's is.
  public mutating func take(_ line: String, at time: MonotonicTime) throws(CaptureError) -> Fix? {
    guard let report = try? JSON.parse(Array(line.utf8)), let kind = report["class"]?.text else {
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
