// How a physical value is stored in a field of a FIT message: value = stored / scale - offset.

import Earth

struct FITQuantity {
  let number: UInt8
  let type: FITBaseType
  let scale: Double
  let offset: Double

  init(_ number: UInt8, _ type: FITBaseType, scale: Double = 1, offset: Double = 0) {
    self.number = number
    self.type = type
    self.scale = scale
    self.offset = offset
  }

  /// Rounded to the nearest; not yet checked against the range of the type.
  func stored(_ value: Double) -> Int64? { ((value + offset) * scale).roundedInteger }

  func value(_ stored: Double) -> Double { stored / scale - offset }
}

/// Seconds since 1989-12-31T00:00:00Z.
struct FITTime: Comparable {
  static let epoch: Int64 = 631_065_600
  /// Below this, a device counts from when it was switched on.
  static let firstDate: Int64 = 0x1000_0000

  let seconds: Int64

  init(seconds: Int64) {
    self.seconds = seconds
  }

  init(unix: Int64) {
    seconds = unix &- Self.epoch
  }

  var unix: Int64 { seconds + Self.epoch }
  var isDate: Bool { seconds >= Self.firstDate }

  static func < (left: FITTime, right: FITTime) -> Bool { left.seconds < right.seconds }
}

/// 2 to the power of 31 semicircles are 180 degrees.
enum Semicircles {
  private static let perDegree = 2_147_483_648.0 / 180

  static func stored(_ degrees: Double) -> Int64? {
    // 180 degrees would be "unknown"; -180 degrees is the same meridian.
    (degrees * perDegree).roundedInteger.map { $0 == 1 << 31 || $0 == 1 << 31 - 1 ? -(1 << 31) : $0 }
  }

  static func degrees(_ stored: Double) -> Double { stored / perDegree }
}

extension Coordinate {
  init?(semicircles latitude: Double?, _ longitude: Double?) {
    guard let latitude, let longitude else { return nil }
    self.init(latitude: Semicircles.degrees(latitude), longitude: Semicircles.degrees(longitude))
  }
}
