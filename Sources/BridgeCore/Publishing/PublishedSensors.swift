// The sensors that the broker may know, with their kinds, kept across a restart: a sensor that was
// removed meanwhile is then forgotten there, too.

import JSON
import ProgramKit

final class PublishedSensors {
  private static let version = 1
  /// By id: the kinds whose last values the broker may have.
  private(set) var kinds: [String: [String]] = [:]
  private let file: StateFile

  init(_ folder: String, log: Log) {
    file = StateFile(
      folder + "/published.json", version: Self.version,
      fallback: "sensors that were removed meanwhile stay at the broker", log: log)
    for sensor in file.load()?["sensors"]?.members ?? [] { kinds[sensor.name] = sensor.value.texts ?? [] }
  }

  var ids: [String] { kinds.keys.sorted() }

  func keep(_ new: [String: [String]]) {
    guard new != kinds else { return }
    let isKept = file.keep("the list of published sensors") { writer in
      writer.member("sensors")
      writer.beginObject()
      for (id, kinds) in new.sorted(by: { $0.key < $1.key }) {
        writer.member(id)
        writer.beginArray()
        for kind in kinds { writer.string(kind) }
        writer.endArray()
      }
      writer.endObject()
    }
    if isKept { kinds = new }
  }
}
