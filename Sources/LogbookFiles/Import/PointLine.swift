// A point of a file as the line of a sample: the logbook stores files in the same way as recordings,
// as samples of the sensor `file`.

import ActivityFiles
import Earth
import Logbook

struct PointLine {
  private(set) var bytes: [UInt8] = []

  /// More would not fit the precision of a double.
  private static let mostExact = 9e15
  /// Finer than the steps of a FIT file: positions there have steps of 8 × 10⁻⁸ degrees.
  private static let decimals = 9
  /// Distances that follow from positions have meaningless digits after the millimetre.
  private static let distanceDecimals = 3

  /// The line is valid until the next one.
  mutating func set(_ point: ActivityPoint) {
    bytes.removeAll(keepingCapacity: true)
    append(#"{"class":"sample","sensor":"file","kind":"point","seq":"#)
    append("\(point.t),\"t\":\(point.t)")
    if let position = point.position {
      append("latitude_deg", position.latitude)
      append("longitude_deg", position.longitude)
    }
    for field in PointField.allCases {
      guard let value = point[field] else { continue }
      append(field.seriesName, value, decimals: field == .distance ? Self.distanceDecimals : Self.decimals)
    }
    if !point.beatIntervals.isEmpty {
      appendName("rr_ms")
      append(numbers: point.beatIntervals)
    }
    switch point.radar {
    case nil: break
    case .silent:
      appendName("vehicles")
      append("null")
    case .vehicles(let vehicles):
      appendName("vehicles")
      append(numbers: vehicles.flatMap { [$0.distance, $0.approachSpeed] })
    }
    append("}")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func appendName(_ name: String) { append(",\"\(name)\":") }

  private mutating func append(_ name: String, _ value: Double, decimals: Int = decimals) {
    guard value.magnitude < Self.mostExact else { return }
    appendName(name)
    append(number: value, decimals: decimals)
  }

  private mutating func append(numbers: [Double]) {
    append("[")
    for (index, number) in numbers.enumerated() {
      if index > 0 { append(",") }
      append(number: number.magnitude < Self.mostExact ? number : 0, decimals: Self.distanceDecimals)
    }
    append("]")
  }

  /// With fewer decimals if the digits would exceed those of a double.
  private mutating func append(number: Double, decimals: Int) {
    var decimals = decimals
    var scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    while decimals > 0, number.magnitude * scale > Self.mostExact {
      decimals -= 1
      scale /= 10
    }
    RecordedValue.number(mantissa: Int64((number * scale).rounded()), decimals: decimals).write(into: &bytes)
  }
}
