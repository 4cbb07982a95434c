// Where a part of the plane is shown on a picture, with north up. Places of the plane are metres,
// places of the picture are pixels from its top left.

import Earth

struct MapFrame {
  let width = 800.0
  let height: Double
  /// Of the map in the picture.
  let top: Double
  let metresPerPixel: Double
  private let center: PlanePoint

  /// Around the track, for marks that are wider than it.
  private static let room = 40.0
  private static let heights = 320.0...800.0
  /// A ride on one spot is not enlarged without end.
  private static let closest = 0.5
  private static let gridSteps = [100.0, 1000, 10_000, 100_000, 1_000_000]
  private static let closestGrid = 24.0
  private static let longestBar = 120.0

  init(around box: (least: PlanePoint, most: PlanePoint), top: Double) {
    let size = box.most - box.least
    let across = width - 2 * Self.room
    let wanted = size.x > 0 ? across * size.y / size.x + 2 * Self.room : size.y > 0 ? Self.heights.upperBound : 0
    height = max(Self.heights.lowerBound, min(Self.heights.upperBound, wanted.rounded()))
    metresPerPixel = max(size.x / across, size.y / (height - 2 * Self.room), Self.closest)
    center = (box.least + box.most) * 0.5
    self.top = top
  }

  func toScreen(_ place: PlanePoint) -> PlanePoint {
    let offset = (place - center) * (1 / metresPerPixel)
    return PlanePoint(x: width / 2 + offset.x, y: top + height / 2 - offset.y)
  }

  /// Of pixels from the top left of the map.
  func toPlane(_ x: Double, _ y: Double) -> PlanePoint {
    center + PlanePoint(x: x - width / 2, y: height / 2 - y) * metresPerPixel
  }

  /// Metres between two lines of the grid.
  var gridStep: Double {
    Self.gridSteps.first { $0 / metresPerPixel >= Self.closestGrid } ?? 1_000_000
  }

  /// The longest round length that fits.
  func scaleBar(_ units: UnitSystem) -> (metres: Double, text: String) {
    let most = metresPerPixel * Self.longestBar
    let (small, large) = units == .imperial ? (("ft", 0.3048), ("mi", 1609.344)) : (("m", 1), ("km", 1000))
    let (name, metre) = most >= large.1 ? large : small
    let count = Self.roundedDown(most / metre)
    return (count * metre, "\(Quantity.short(count)) \(name)")
  }

  /// To 1, 2 or 5 times a power of ten.
  private static func roundedDown(_ value: Double) -> Double {
    var power = 1.0
    while power * 10 <= value { power *= 10 }
    return ([5, 2, 1].first { $0 * power <= value } ?? 1) * power
  }
}
