// What a radar sample says: the cars, nearest first, and all of it in words.

import Wire

struct RadarPicture {
  struct Car {
    let name: String
    let metres: Double
    let approachMps: Double?
    /// 0 none, 1 approaching, 2 fast approaching; a radar may say more.
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
    func words(_ style: Style) -> String {
      var text = distance(style)
      if let approachMps { text += " at " + Quantity.text("speed_mps", approachMps, style) }
      if level > 1 { text += ", fast" }
      return side.isEmpty ? text : text + ", " + printable(side)
    }

    /// Whole, for that is how exactly radars know it.
    func distance(_ style: Style) -> String {
      let metric = "\(Quantity.decimal(metres, places: 0)) m"
      return style.units == .metric ? metric : "\(Quantity.decimal(metres / 0.3048, places: 0)) ft"
    }
  }

  let isClear: Bool
  let cars: [Car]

  /// Nil for a sample that says neither.
  init?(clear: JSON?, targets: JSON?) {
    cars = (targets?.items ?? []).compactMap { Car($0) }.sorted { $0.metres < $1.metres }
    guard clear?.bool != nil || targets?.items != nil else { return nil }
    isClear = clear?.bool ?? false
  }

  var colour: Style.Colour {
    guard let worst = cars.max(by: { $0.level < $1.level }) else { return isClear ? .good : .plain }
    return worst.colour
  }

  /// `clear`, `1 car, 40 m`, `3 cars, nearest 12 m`
  func headline(_ style: Style) -> String {
    guard let nearest = cars.first else { return isClear ? "clear" : "not clear" }
    let distance = nearest.distance(style)
    return cars.count == 1 ? "1 car, \(distance)" : "\(cars.count) cars, nearest \(distance)"
  }

  /// Each car with the number that the radar gives it.
  func details(_ style: Style) -> String {
    cars.map { ($0.name.isEmpty ? "" : "no. \($0.name): ") + $0.words(style) }.joined(separator: "; ")
  }
}

extension RadarPicture.Car {
  fileprivate init?(_ target: JSON) {
    guard let metres = target["distance_m"]?.number else { return nil }
    self.metres = metres
    name = target["id"]?.integer.map { "\($0)" } ?? ""
    approachMps = target["approach_speed_mps"]?.number
    level = target["level"]?.integer ?? 0
    side = target["side"]?.text ?? ""
  }
}
