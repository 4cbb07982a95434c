// Where the packets of a file come from, and what it publishes, for people who read about it.

public import SensorKit

public struct DeclaredSource: Equatable, Sendable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  public fileprivate(set) var isRead = false
  public fileprivate(set) var isNotified = false
  public fileprivate(set) var isIndicated = false
}

extension SensorProgram {
  /// The characteristics that are subscribed to or read, in the order of the file, each once.
  public var sources: [DeclaredSource] {
    var sources: [DeclaredSource] = []
    for route in characteristicRoutes {
      let verbs = route.verbs.intersection(start.verbs(for: route.service, route.characteristic))
      if verbs.isEmpty { continue }
      let known = sources.firstIndex { $0.service == route.service && $0.characteristic == route.characteristic }
      let index = known ?? sources.count
      if known == nil {
        sources.append(DeclaredSource(service: route.service, characteristic: route.characteristic))
      }
      if verbs.contains(.read) { sources[index].isRead = true }
      if verbs.contains(.notified) { sources[index].isNotified = true }
      if verbs.contains(.indicated) { sources[index].isIndicated = true }
    }
    return sources
  }

  /// The names of facts, each once.
  public var facts: [String] {
    process?.fields(of: .fact) ?? names { if case .fact = $0 { true } else { false } }
  }

  /// The fields of answers to commands, each once.
  public var answers: [String] {
    process?.fields(of: .answer) ?? names { if case .answer = $0 { true } else { false } }
  }

  public var events: [String] {
    if let process { return process.events }
    return publications.reduce(into: []) { events, publication in
      guard case .event(let name) = publication.form, !events.contains(name.description) else { return }
      events.append(name.description)
    }
  }

  private func names(_ isWanted: (Publication.Form) -> Bool) -> [String] {
    var names: [String] = []
    for publication in publications where isWanted(publication.form) {
      for field in publishedFields[publication.fields] where !names.contains(field.field.name.description) {
        names.append(field.field.name.description)
      }
    }
    return names
  }
}

extension ProcessProgram {
  fileprivate func fields(of form: Form) -> [String] {
    records.filter { $0.form == form }.flatMap { fields[$0.fields].map(\.field.name.description) }
  }

  fileprivate var events: [String] {
    records.compactMap { if case .event(let name) = $0.form { name.description } else { nil } }
  }
}
