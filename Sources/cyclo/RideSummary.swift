// The ride on one screen, for `cyclo ride`: totals and averages of ride and lap, training numbers,
// and times in zones. Blocks are side by side if the terminal is wide enough. Unknown numbers are
// omitted.

import CyclometerSamples
import JSON
import Wire

struct RideSummary {
  private let samples: [String: SampleRecord]
  private let ride: RideSample
  /// When the sample of the ride was received, in seconds.
  private let age: Double
  private let laps: LapTable
  private let style: Style

  /// From the last samples of `ride`, and its finished laps. Nil if there is no ride.
  init?(_ samples: [Sample], laps: [LapRecord] = [], _ style: Style) {
    let derived = samples.filter { $0.sensor == SensorID.ride }
    guard let last = derived.last(where: { $0.kind == RideSample.kind }), let ride = RideSample(last.record) else {
      return nil
    }
    self.ride = ride
    age = last.age
    self.samples = Dictionary(
      derived.compactMap { sample in sample.record.map { (sample.kind, $0) } }, uniquingKeysWith: { $1 })
    self.laps = LapTable(laps, style)
    self.style = style
  }

  func lines(columns: Int?) -> [String] {
    let width = columns ?? 80
    let upper = sideBySide(totals, training, columns: width)
    let (ofHeart, ofPower) = (ZonesSample(samples[ZonesSample.kind]), PowerZonesSample(samples[PowerZonesSample.kind]))
    let zones = sideBySide(
      zones("Heart rate zones", ofHeart?.zone, ofHeart?.zoneTimesS ?? []),
      zones("Power zones", ofPower?.zone, ofPower?.zoneTimesS ?? []), columns: width)
    let blocks = [upper, laps.lines(columns: width), zones].filter { !$0.isEmpty }
    let text = Array(blocks.joined(separator: [Line("")])).map { $0.text(columns: width, style: style) }
    return [heading] + text
  }

  private var heading: String {
    let when = age > 10 ? ", \(spanText(age)) ago" : ""
    let sport = ride.sport ?? .cycling
    return style.paint("Ride", .strong) + (sport == .cycling ? "" : " (\(sport.rawValue))") + ": \(state)\(when)"
  }

  private var state: String {
    if ride.ended == true { return "ended" }
    guard ride.paused == true else { return "moving" }
    return ride.pause == .byHand ? "paused by hand" : "paused"
  }
}

// MARK: Blocks

extension RideSummary {
  /// A row of the table: its label, and the member that each column takes, by kind.
  private struct Row {
    let label: String
    var ride: (kind: String, field: String)?
    var maximum: String?
    var lap: String?
  }

  private static let rows = [
    Row(label: "time", ride: ("ride", "ride_time_s"), lap: "lap_time_s"),
    Row(label: "moving", ride: ("ride", "moving_time_s"), lap: "moving_time_s"),
    Row(label: "coasting", ride: ("ride", "coasting_time_s"), lap: "coasting_time_s"),
    Row(label: "distance", ride: ("ride", "distance_m"), lap: "distance_m"),
    Row(label: "ascent", ride: ("ride", "ascent_m"), lap: "ascent_m"),
    Row(label: "speed", ride: ("averages", "speed_avg_mps"), maximum: "speed_max_mps", lap: "speed_avg_mps"),
    Row(label: "power", ride: ("averages", "power_avg_w"), maximum: "power_max_w", lap: "power_avg_w"),
    Row(label: "normalized", ride: ("averages", "normalized_power_w"), lap: "normalized_power_w"),
    Row(label: "heart rate", ride: ("averages", "bpm_avg"), maximum: "bpm_max", lap: "bpm_avg"),
    Row(label: "cadence", ride: ("averages", "cadence_avg_rpm"), maximum: "cadence_max_rpm", lap: "cadence_avg_rpm"),
    Row(label: "balance", ride: ("averages", "balance_avg_pct"), lap: "balance_avg_pct"),
    Row(label: "work", ride: ("ride", "work_j"), lap: "work_j"),
    Row(label: "energy", ride: ("ride", "energy_kcal")),
  ]

  private var totals: [Line] {
    let rows = Self.rows.map { row in
      (
        row.label,
        [
          row.ride.map { value($0.field, of: $0.kind) } ?? "", row.maximum.map { value($0, of: "averages") } ?? "",
          row.lap.map { value($0, of: "lap_averages") } ?? "",
        ]
      )
    }.filter { $0.1.contains { !$0.isEmpty } }
    let lap = ride.lap.map { "LAP \($0)" } ?? "LAP"
    var heading = Line("".padded(to: Self.labelWidth), .faint)
    for text in ["RIDE", "MAXIMUM", lap] { heading.add(text.leading(Self.valueWidth), .faint) }
    return [heading]
      + rows.map { label, values in
        var line = Line(label.padded(to: Self.labelWidth))
        for (index, text) in values.enumerated() {
          line.add(text.leading(Self.valueWidth), index == 0 ? .strong : .plain)
        }
        return line
      }
  }

  private static let labelWidth = 11
  private static let valueWidth = 12

  private static let trainingRows: [(label: String, fields: [String])] = [
    ("variability index", ["variability_index"]), ("intensity factor", ["intensity_factor"]),
    ("training stress", ["training_stress_score"]), ("efficiency", ["efficiency_factor_w_per_bpm"]),
    ("decoupling", ["decoupling_pct"]), ("heart-rate load", ["heart_rate_load"]),
    ("W' left", ["w_prime_balance_pct", "w_prime_balance_j"]), ("power/weight", ["power_avg_w_per_kg"]),
    ("best 5 s, 1 min", ["best_5s_w", "best_1min_w"]), ("best 5, 20 min", ["best_5min_w", "best_20min_w"]),
    ("climbing", ["vam_m_per_h"]),
  ]

  private var training: [Line] {
    let rows =
      Self.trainingRows.map { row in
        (row.label, row.fields.map { value($0, of: "training") }.filter { !$0.isEmpty }.joined(separator: ", "))
      }.filter { !$0.1.isEmpty }
      + [("cars passed", value("cars_passed", of: "ride"))].filter { !$0.1.isEmpty }
    if rows.isEmpty { return [] }
    return [Line("TRAINING", .faint)]
      + rows.map { label, text in
        var line = Line(label.padded(to: 18))
        line.add(text, .strong)
        return line
      }
  }

  /// A bar, the time and the share of each zone.
  private func zones(_ title: String, _ current: Int?, _ times: [Double]) -> [Line] {
    let whole = times.reduce(0, +)
    guard whole > 0 else { return [] }
    return [Line(title.uppercased(), .faint)]
      + times.enumerated().map { index, time in
        let share = time / whole
        let length = Int((share * 14).rounded())
        var line = Line(
          "\(index + 1)\(current == index + 1 ? style.either("◂", ascii: "<") : " ") ",
          current == index + 1 ? .strong : .plain)
        line.add(String(repeating: style.either("█", ascii: "#"), count: length).padded(to: 14), .good)
        line.add(Quantity.text("zone_times_s", time, style).leading(11))
        line.add("\(Quantity.decimal(share * 100, places: 0)) %".leading(6), .faint)
        return line
      }
  }

  private func value(_ field: String, of kind: String) -> String {
    samples[kind]?[field]?.number.map { Quantity.text(field, $0, style) } ?? ""
  }

  /// Puts the right block below the left one if there is no room next to it.
  private func sideBySide(_ left: [Line], _ right: [Line], columns: Int) -> [Line] {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    let place = (left.map(\.width).max() ?? 0) + 3
    guard place + (right.map(\.width).max() ?? 0) <= columns else { return left + [Line("")] + right }
    return (0..<max(left.count, right.count)).map { row in
      var line = row < left.count ? left[row] : Line("")
      guard row < right.count else { return line }
      line.fill(to: place)
      line.append(right[row])
      return line
    }
  }
}

extension String {
  /// With spaces before it.
  func leading(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns)) + self
  }
}
