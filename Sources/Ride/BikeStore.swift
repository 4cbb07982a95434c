// The rider's bikes, saved in the state directory.

package import JSON
package import Linux
package import Metrics
package import ProgramKit
import Text
import Vocabulary
package import Wire

package final class BikeStore {
  static let version = 1
  package static let capacity = 16
  /// Per bike.
  package static let mostSensors = 32

  package private(set) var bikes: [Bike] = []
  private let file: StateFile

  package init(folder: String, file: String, change: StateChange? = nil, log: Log) {
    self.file = StateFile(
      folder + "/" + file, version: Self.version, fallback: "no bikes are known", change: change, log: log)
    load()
  }

  private func load() {
    guard let json = file.load() else { return }
    do throws(Refusal) {
      bikes = try Bike.list(json["bikes"])
    } catch {
      file.quarantine("is damaged (\(error.message))")
    }
  }

  package func change(to new: [Bike]) throws(SystemError) {
    guard new != bikes else { return }
    try file.save { writer in
      writer.member("bikes")
      writer.beginArray()
      for bike in new { bike.record.write(into: &writer) }
      writer.endArray()
    }
    bikes = new
  }
}

// MARK: As JSON

extension Bike {
  /// Reads the bikes of a file or import; their names must differ.
  package static func list(_ json: JSONValue?) throws(Refusal) -> [Bike] {
    guard let items = json?.items, items.count <= BikeStore.capacity else {
      throw Refusal(.badRequest, "bikes is a list of at most \(BikeStore.capacity)")
    }
    var bikes: [Bike] = []
    for (index, item) in items.enumerated() {
      do throws(Refusal) {
        let bike = try Bike(item)
        if bikes.contains(where: { $0.name == bike.name }) {
          throw Refusal(.badRequest, "the name is used twice")
        }
        bikes.append(bike)
      } catch {
        throw Refusal(.badRequest, "bikes[\(index)]: \(error.message)")
      }
    }
    return bikes
  }

  private init(_ json: JSONValue) throws(Refusal) {
    guard let name = json["name"]?.text, name.isName else {
      throw Refusal(.badRequest, "name is \(String.nameRule)")
    }
    self.init(name: name)
    let ids = json["sensors"].map { $0.texts } ?? []
    guard let ids, ids.allSatisfy(SensorID.isValid) else { throw Refusal(.badRequest, "sensors is a list of ids") }
    try apply(sensors: ids)
    try apply(settings: (json.members ?? []))
  }

  package mutating func apply(sensors ids: [String]) throws(Refusal) {
    var sensors: [String] = []
    for id in ids where !sensors.contains(id) { sensors.append(id) }
    guard sensors.count <= BikeStore.mostSensors else {
      throw Refusal(.badRequest, "a bike has at most \(BikeStore.mostSensors) sensors")
    }
    self.sensors = sensors
  }

  /// Applies settings by key. Null or an empty string clears a setting; unknown keys are ignored.
  package mutating func apply(settings members: [JSONValue.Member]) throws(Refusal) {
    for setting in Setting.ofBike {
      guard let value = members.last(where: { $0.name == setting.key })?.value else { continue }
      let isCleared = value == .null || value == .string("")
      guard settings.set(setting, to: isCleared ? nil : value) else {
        throw Refusal(.badRequest, "\(setting.key) is \(setting.expected)")
      }
    }
    for names in [TireSettings.Names.ofFront, .ofRear] {
      if let problem = TireSettings(settings, names).contradiction(names) { throw Refusal(.badRequest, problem) }
    }
  }

  package var record: BikeRecord {
    var record = BikeRecord()
    record.name = name
    record.sensors = sensors
    record.settings = Setting.ofBike.compactMap { setting in
      settings[setting].map { JSONValue.Member(setting.key, $0) }
    }
    return record
  }
}
