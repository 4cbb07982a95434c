// What the rider has set on the road, saved in the state directory. It overrides the configuration,
// which no program writes.

package import JSON
package import Linux
package import Metrics
package import ProgramKit

package final class RideSettingsStore {
  package private(set) var overrides = RideOverrides()
  private let file: StateFile

  package init(folder: String, file: String, change: StateChange? = nil, log: Log) {
    self.file = StateFile(
      folder + "/" + file, version: 1, fallback: "the ride follows the configuration", change: change, log: log)
    load()
  }

  private func load() {
    guard let json = file.load() else { return }
    var saved = RideOverrides()
    guard saved.apply(json.members ?? []) == nil else { return file.quarantine("is damaged") }
    overrides = saved
  }

  package func change(to new: RideOverrides) throws(SystemError) {
    try file.save { new.writeMembers(into: &$0) }
    overrides = new
  }
}

/// The settings that differ from the configuration because the rider said so.
package struct RideOverrides: Equatable {
  private var values: [RideSettingKey: Double] = [:]

  package init() {}

  /// Sets the given keys, all or none. Null or an empty string clears a key; unknown names are
  /// ignored. If nothing is set, it returns a sentence that says what was expected.
  package mutating func apply(_ members: [JSONValue.Member]) -> String? {
    var changed = self
    for member in members {
      guard let key = RideSettingKey(rawValue: member.name) else { continue }
      guard member.value != .null, member.value.text != "" else {
        changed.values[key] = nil
        continue
      }
      guard let value = key.value(of: member.value), key.allows(value) else {
        return "\(key.rawValue) is \(key.expected)"
      }
      changed.values[key] = value
    }
    self = changed
    return nil
  }

  package func applied(to configured: RideSettings) -> RideSettings {
    var settings = configured
    for (key, value) in values { settings[key] = value }
    return settings
  }

  package var keys: [RideSettingKey] { RideSettingKey.allCases.filter { values[$0] != nil } }

  package func writeMembers(into writer: inout JSONWriter) {
    for key in keys { writer.member(key.rawValue, values[key].map(key.json)) }
  }
}

extension RideSettingKey {
  fileprivate func value(of json: JSONValue) -> Double? {
    self == .autoPause ? json.bool.map { $0 ? 1 : 0 } : json.number
  }

  package func json(_ value: Double) -> JSONValue { self == .autoPause ? .bool(value != 0) : .number(value) }
}
