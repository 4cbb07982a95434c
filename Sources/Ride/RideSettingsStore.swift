// What the rider has set on the road, saved in the state directory. It overrides the configuration,
// which no program writes.

package import JSON
package import Linux
package import Metrics
package import ProgramKit
import Vocabulary

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
  private var values = SettingValues()

  package init() {}

  /// Sets the given keys, all or none. Null or an empty string clears a key; unknown names are
  /// ignored. If nothing is set, it returns a sentence that says what was expected.
  package mutating func apply(_ members: [JSONValue.Member]) -> String? {
    var changed = self
    for setting in Setting.ofRide {
      guard let value = members.last(where: { $0.name == setting.key })?.value else { continue }
      let isCleared = value == .null || value == .string("")
      guard changed.values.set(setting, to: isCleared ? nil : value) else {
        return "\(setting.key) is \(setting.expected)"
      }
    }
    self = changed
    return nil
  }

  package func applied(to configured: RideSettings) -> RideSettings {
    var settings = configured
    for setting in Setting.ofRide {
      if let value = values[setting] { settings.set(setting, to: value) }
    }
    return settings
  }

  package var keys: [String] { Setting.ofRide.filter { values[$0] != nil }.map(\.key) }

  package func writeMembers(into writer: inout JSONWriter) {
    for setting in Setting.ofRide { writer.member(setting.key, values[setting]) }
  }
}
