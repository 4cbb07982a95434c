// Ids of sensors, which appear in records and in users' scripts.

import CaptureFormat

public enum SensorID {
  /// The sensor of everything that is derived from several sensors.
  public static let ride = "ride"
  /// The sensor of what the guide publishes on its own socket.
  public static let guide = "guide"
  private static let reserved = [ride, guide, CaptureLine.positionName]

  /// Longer than any that the daemon makes, and short enough for a line with all sensors.
  private static let longest = 64

  public static func isValid(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
    return isPlain && (1...longest).contains(text.utf8.count) && !reserved.contains(text)
  }
}
