// The rider's data, saved in the state directory and readable only by the daemon's user.

package import JSON
package import Linux
package import Metrics
package import ProgramKit
import Vocabulary

package final class RiderStore {
  static let version = 1
  package private(set) var rider = Rider()
  private let file: StateFile

  package init(folder: String, file: String, change: StateChange? = nil, log: Log) {
    self.file = StateFile(
      folder + "/" + file, version: Self.version, fallback: "the rider's data is empty", change: change, log: log)
    load()
  }

  private func load() {
    guard let json = file.load() else { return }
    var kept = Rider()
    guard kept.apply(json.members ?? []) == nil else { return file.quarantine("is damaged") }
    rider = kept
  }

  package func change(to new: Rider) throws(SystemError) {
    guard new != rider else { return }
    try file.save { new.writeMembers(into: &$0) }
    rider = new
  }
}

// MARK: As JSON

extension Rider {
  /// Sets the given keys, all or none. Null or an empty string clears a key; unknown names are
  /// ignored. If nothing is set, it returns a sentence that says what was expected.
  package mutating func apply(_ members: [JSONValue.Member]) -> String? {
    var changed = self
    for setting in Setting.ofRider {
      guard let value = members.last(where: { $0.name == setting.key })?.value else { continue }
      let isCleared = value == .null || value == .string("") || value == .array([])
      guard changed.set(setting, to: isCleared ? nil : value) else { return "\(setting.key) is \(setting.expected)" }
    }
    if let problem = changed.contradiction { return problem }
    self = changed
    return nil
  }

  package func writeMembers(into writer: inout JSONWriter) {
    for setting in Setting.ofRider { writer.member(setting.key, self[setting]) }
  }

  package func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(into: &writer)
    writer.endObject()
  }
}
