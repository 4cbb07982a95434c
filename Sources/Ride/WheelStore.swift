// Saved wheel measurements, by the sensor that counts the wheel's turns, so that measuring
// continues after a restart. A damaged file is set aside, and the wheels are measured again.

import JSON
import Linux
import Metrics
package import ProgramKit

package final class WheelStore {
  private let file: StateFile
  private(set) var wheels: [Wheel] = []

  struct Wheel: Equatable {
    let sensor: String
    let size: WheelSize.Saved
  }

  package init(folder: String, file: String, change: StateChange? = nil, log: Log) {
    self.file = StateFile(
      folder + "/" + file, version: 1, fallback: "wheels are measured again", change: change, log: log)
    load()
  }

  func size(of sensor: String) -> WheelSize.Saved? { wheels.first { $0.sensor == sensor }?.size }

  /// Keeps the wheels of sensors that are not in the ride, because their roster may have been set
  /// aside.
  func save(_ measured: [Wheel]) {
    replace(with: wheels.filter { kept in !measured.contains { $0.sensor == kept.sensor } } + measured)
  }

  /// Imports a size from another computer. It is used while the wheel is measured again.
  package func take(measuredMM: Double, saidMM: Double?, of sensor: String) {
    let size = WheelSize.Saved(
      saidM: saidMM.map { $0 / 1000 }, circumferenceM: measuredMM / 1000, isMeasured: true, stretches: [])
    save([Wheel(sensor: sensor, size: size)])
  }

  package func forget(_ sensor: String) { replace(with: wheels.filter { $0.sensor != sensor }) }

  private func replace(with new: [Wheel]) {
    guard new != wheels else { return }
    let isKept = file.keep("the measured wheel sizes") { writer in
      writer.member("wheels")
      writer.beginArray()
      for wheel in new { wheel.write(into: &writer) }
      writer.endArray()
    }
    if isKept { wheels = new }
  }

  private func load() {
    guard let json = file.load() else { return }
    guard let entries = json["wheels"]?.items else { return file.quarantine("is damaged") }
    wheels = entries.compactMap(Wheel.init)
    let bad = entries.count - wheels.count
    if bad > 0 { _ = file.keepCopy("has \(bad) invalid entries") }
  }
}

// MARK: As JSON

extension WheelStore.Wheel {
  /// Nil if a number is missing or out of range.
  init?(_ json: JSONValue) {
    guard let sensor = json["sensor"]?.text, let isMeasured = json["measured"]?.bool,
      let items = json["stretches"]?.items
    else { return nil }
    let stretches = items.compactMap { item -> WheelSize.Saved.Stretch? in
      guard let millimetres = item.positive("circumference_mm"), let weight = item.positive("weight"),
        let missed = item["missed_share"]?.number, (-1...1).contains(missed)
      else { return nil }
      return WheelSize.Saved.Stretch(circumferenceM: millimetres / 1000, weight: weight, missedShare: missed)
    }
    guard stretches.count == items.count else { return nil }
    self.init(
      sensor: sensor,
      size: WheelSize.Saved(
        saidM: json.positive("said_mm").map { $0 / 1000 },
        circumferenceM: json.positive("circumference_mm").map { $0 / 1000 }, isMeasured: isMeasured,
        stretches: stretches))
  }

  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sensor", sensor)
    writer.member("said_mm", size.saidM.map { $0 * 1000 })
    writer.member("circumference_mm", size.circumferenceM.map { $0 * 1000 })
    writer.member("measured", size.isMeasured)
    writer.member("stretches")
    writer.beginArray()
    for stretch in size.stretches {
      writer.beginObject()
      writer.member("circumference_mm", stretch.circumferenceM * 1000)
      writer.member("weight", stretch.weight)
      writer.member("missed_share", stretch.missedShare)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension JSONValue {
  fileprivate func positive(_ name: String) -> Double? {
    self[name]?.number.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }
}
