// The rider's data, saved in the state directory and readable only by the daemon's user.

package import JSON
package import Linux
package import Metrics
package import ProgramKit

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
    for member in members {
      guard let key = RiderKey.allCases.first(where: { $0.rawValue == member.name }) else { continue }
      if let problem = changed.apply(member.value, as: key) { return problem }
    }
    if let problem = changed.contradiction { return problem }
    self = changed
    return nil
  }

  private mutating func apply(_ value: JSONValue, as key: RiderKey) -> String? {
    switch value {
    case .null, .string(""): return set(key, [])
    case .string(let word): return key == .sex ? set(sex: word) : key.expectation
    case .number(let number): return set(key, [number])
    case .array(let items):
      let numbers = items.compactMap(\.number)
      return key == .zoneFloors && numbers.count == items.count ? set(key, numbers) : key.expectation
    case .bool, .object: return key.expectation
    }
  }

  package func writeMembers(into writer: inout JSONWriter) {
    for key in RiderKey.allCases {
      switch key {
      case .sex: writer.member(key.rawValue, sex?.rawValue)
      case .zoneFloors where !zoneFloorsBpm.isEmpty:
        writer.member(key.rawValue, .array(zoneFloorsBpm.map(JSONValue.number)))
      case .zoneFloors: break
      default: writer.member(key.rawValue, numbers(key).first)
      }
    }
  }

  package func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(into: &writer)
    writer.endObject()
  }
}
