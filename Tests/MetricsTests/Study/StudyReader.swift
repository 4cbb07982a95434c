// Reads what a ride publishes: keeps the last sample of each kind and checks every number.

import SensorKit
import Testing
import Vocabulary

@testable import Metrics

struct StudyReader {
  private(set) var ride: [String: Double] = [:]
  private(set) var averages: [String: Double] = [:]
  private(set) var zones: [Double] = []
  private(set) var events: [String: Int] = [:]
  /// The source, value and time of the last sample, by kind.
  private(set) var said: [String: (source: String, value: Double, time: Double)] = [:]
  /// The number of samples, by kind.
  private(set) var counts: [String: Int] = [:]
  private(set) var faults: [String] = []

  mutating func read(_ batch: borrowing Batch, at time: Double) {
    let overflowed = batch.overflowed
    if overflowed { fault("an invalid number, or a full batch", time) }
    for index in batch.entryIndices {
      let entry = batch.entry(index)
      switch entry.kind {
      case .event(let name): events[name.description, default: 0] += 1
      case .sample(let kind): read(kind.name.description, entry, of: batch, time)
      case .fact, .answer: fault("neither sample nor event", time)
      }
    }
  }

  private mutating func read(_ kind: String, _ entry: Batch.Entry, of batch: borrowing Batch, _ time: Double) {
    counts[kind, default: 0] += 1
    var numbers: [String: Double] = [:]
    var source: String?
    for index in entry.fields {
      let field = batch.field(index)
      switch field.value {
      case .number(let number):
        numbers[field.field.name.description] = number
        if !number.isFinite { fault("\(kind).\(field.field.name) is \(number)", time) }
      case .flag(let flag): numbers[field.field.name.description] = flag ? 1 : 0
      case .text(let range): source = String(decoding: batch.text(range), as: UTF8.self)
      case .numbers(let range, _): zones = range.map { batch.number($0) }
      default: break
      }
    }
    switch kind {
    case "ride": check(numbers, time)
    case "averages": averages = numbers
    case "speed", "cadence", "power", "heart_rate":
      guard let source, let value = numbers.values.first else { return fault("\(kind) without a source", time) }
      said[kind] = (source, value, time)
    default: break
    }
  }

  private mutating func check(_ next: [String: Double], _ time: Double) {
    for name in ["distance_m", "ride_time_s", "moving_time_s", "work_j", "energy_kcal", "lap", "ascent_m"] {
      guard let before = ride[name] else { continue }
      guard let now = next[name] else {
        fault("\(name) is not known any more", time)
        continue
      }
      if now < before { fault("\(name) fell from \(before) to \(now)", time) }
    }
    if next["moving_time_s"] ?? 0 > (next["ride_time_s"] ?? 0) + 1e-3 {
      fault("moved for longer than ridden: \(next)", time)
    }
    ride = next
  }

  mutating func fault(_ what: String, _ time: Double) {
    if faults.count < 20 { faults.append("\(time): \(what)") }
  }

  /// Another ride begins, and its numbers start from 0.
  mutating func forgetRide() { ride = [:] }
}
