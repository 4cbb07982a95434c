// The members of `activity.detail` that follow from the activity's seconds. Others, such as `file`,
// stay byte for byte.

import JSON
package import LogbookWire
package import Wire

/// Times in zones, of heart rate and power.
package struct ActivityZoneTimes: Equatable, Sendable {
  /// Below the first zone, then one number per zone. Empty without zones.
  package var heartRateS: [Double] = []
  package var floorsBpm: [Double] = []
  package var powerS: [Double] = []

  package init() {}
}

/// The last charge of a sensor's battery.
package struct StoredBattery: WireObject {
  package var sensor = ""
  package var chargePct = 0.0

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("sensor", &sensor)
    members.needed("battery_pct", &chargePct)
  }
}

package struct DerivedDetail: WireObject {
  package var zones = ActivityZoneTimes()
  package var powerCurve: [BestPower] = []
  package var gaps: [ActivityGap] = []
  /// Whether there were more gaps.
  package var isShortened = false
  /// Of an edited activity. Those of others are in the table `lap`.
  package var laps: [ActivityLapRecord] = []
  package var batteries: [StoredBattery] = []
  /// The totals of an imported activity before it was edited.
  package var unedited: StoredTotals?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("zone_times_s", &zones.heartRateS, unless: [])
    members.member("zone_floors_bpm", &zones.floorsBpm, unless: [])
    members.member("power_zone_times_s", &zones.powerS, unless: [])
    members.member("power_curve", &powerCurve, unless: [])
    members.member("gaps", &gaps, unless: [])
    members.member("shortened", &isShortened, unless: false)
    members.member("laps", &laps, unless: [])
    members.member("batteries", &batteries, unless: [])
    members.member("unedited", &unedited)
  }
}

package struct StoredDetail: Equatable, Sendable {
  package var derived = DerivedDetail()
  /// The other members as JSON, with commas between them.
  private var others: [UInt8] = []

  private static let derivedNames: [StaticString] = [
    "zone_times_s", "zone_floors_bpm", "power_zone_times_s", "power_curve", "gaps", "shortened", "laps",
    "batteries", "unedited",
  ]

  /// Empty if the text is missing or damaged.
  package init(text: String?) {
    let text = Array((text ?? "").utf8)
    derived = (try? JSONValue.parse(text.span)).flatMap { DerivedDetail($0) } ?? DerivedDetail()
    var scanner = TokenScanner()
    guard scanner.skip("{", in: text.span) else { return }
    while let name = scanner.string(in: text.span), scanner.skip(":", in: text.span),
      let value = scanner.value(in: text.span)
    {
      let inner = (name.lowerBound + 1)..<(name.upperBound - 1)
      if !Self.derivedNames.contains(where: { text.span.has($0, at: inner) }) {
        if !others.isEmpty { others.append(UInt8(ascii: ",")) }
        others.append(contentsOf: text[name.lowerBound..<value.upperBound])
      }
      guard scanner.skip(",", in: text.span) else { break }
    }
  }

  /// Nil if there is nothing to store.
  package var text: String? {
    var writer = JSONWriter()
    derived.write(into: &writer)
    var text = writer.bytes
    guard text.count > 2 || !others.isEmpty else { return nil }
    if text.count > 2, !others.isEmpty { text.insert(UInt8(ascii: ","), at: 1) }
    text.insert(contentsOf: others, at: 1)
    return String(decoding: text, as: UTF8.self)
  }
}
