// A radar sample: the cars, nearest first, also as text.

import SensorKit
import Vocabulary

struct RadarPicture {
  struct Car {
    /// The radar's number for the car.
    let number: Int?
    let metres: Double
    let approachMps: Double?
    /// 0 none, 1 approaching, 2 fast approaching; radars may have more levels.
    let level: Int
    let side: String

    var colour: Style.Colour {
      switch level {
      case ..<1: .plain
      case 1: .warning
      default: .bad
      }
    }

    /// `40 m at 36 km/h, fast, left`
    func write(to text: inout ValueText) {
      writeDistance(to: &text)
      if let approachMps {
        text.append(" at ")
        Scale.speed.shape(approachMps, text.style).append(to: &text.bytes)
      }
      if level > 1 { text.append(", fast") }
      if !side.isEmpty { text.append(", \(side)") }
    }

    /// Whole metres: radars are not more precise.
    func writeDistance(to text: inout ValueText) {
      let isMetric = text.style.units == .metric
      text.bytes.appendDecimal(isMetric ? metres : metres / 0.3048, places: 0)
      text.append(isMetric ? " m" : " ft")
    }
  }

  let isClear: Bool
  let cars: [Car]

  /// Nil for a sample with neither targets nor a clear road.
  init?<Source: RecordValues & ~Copyable>(_ sample: Source.RecordValue, in source: borrowing Source) {
    var (clear, cars): (Bool?, [Car]?) = (nil, nil)
    if let value = source.member("clear", of: sample), case .flag(let flag) = source.form(of: value) { clear = flag }
    if let targets = source.member("targets", of: sample), case .list(let count) = source.form(of: targets) {
      cars = []
      for index in 0..<count {
        if let car = Car(source.item(index, of: targets), in: source) { cars?.append(car) }
      }
    }
    if clear == nil, cars == nil { return nil }
    isClear = clear ?? false
    self.cars = (cars ?? []).sorted { $0.metres < $1.metres }
  }

  var colour: Style.Colour {
    guard let worst = cars.max(by: { $0.level < $1.level }) else { return isClear ? .good : .plain }
    return worst.colour
  }

  /// `clear`, `1 car, 40 m`, `3 cars, nearest 12 m`
  func writeHeadline(to text: inout ValueText) {
    guard let nearest = cars.first else { return text.append(isClear ? "clear" : "not clear") }
    text.append(cars.count == 1 ? "1 car, " : "\(cars.count) cars, nearest ")
    nearest.writeDistance(to: &text)
  }

  /// Each car with its number.
  func writeDetails(to text: inout ValueText) {
    for (index, car) in cars.enumerated() {
      if index > 0 { text.append("; ") }
      if let number = car.number { text.append("no. \(number): ") }
      car.write(to: &text)
    }
  }
}

extension RadarPicture.Car {
  fileprivate init?<Source: RecordValues & ~Copyable>(_ target: Source.RecordValue, in source: borrowing Source) {
    guard let metres = source.number("distance_m", of: target) else { return nil }
    self.metres = metres
    number = source.number("id", of: target).flatMap { Int(exactly: $0) }
    approachMps = source.number("approach_speed_mps", of: target)
    level = source.number("level", of: target).flatMap { Int(exactly: $0) } ?? 0
    side = source.text("side", of: target) ?? ""
  }
}
