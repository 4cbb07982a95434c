// What a sensor has said about itself, by name, in the order in which it was learned.

import JSON
import SensorKit
import Vocabulary

struct KnownFacts {
  private(set) var all: [(name: String, value: JSONValue)] = []
  private(set) var batteryPct: Double?

  /// Returns whether the level of the battery is another one.
  mutating func recordBattery(_ entry: Batch.Entry, of batch: borrowing Batch) -> Bool {
    guard let charge = batch.number(.batteryPct, of: entry), charge != batteryPct else { return false }
    batteryPct = charge
    return true
  }

  /// Forgets those of plugins that are gone.
  mutating func keep(where isKnown: (String) -> Bool) { all.removeAll { !isKnown($0.name) } }

  /// Returns whether something is new.
  mutating func record(_ entry: Batch.Entry, of batch: borrowing Batch) -> Bool {
    var isNews = false
    for index in entry.fields {
      let field = batch.field(index)
      let value = batch.json(field.value)
      if let known = all.firstIndex(where: { $0.name == field.field.name.description }) {
        isNews = isNews || all[known].value != value
        all[known].value = value
      } else {
        all.append((field.field.name.description, value))
        isNews = true
      }
    }
    return isNews
  }
}
