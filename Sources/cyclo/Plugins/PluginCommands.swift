// The commands of plugins. Only the daemon knows those that files declare. It is asked once, when it
// finds the first sensor of a plugin that is not built in.

import CyclometerClient
import SensorKit
import Sensors
import Vocabulary
import Wire

struct PluginCommands {
  private let session: Session
  private var declared: [PluginRecord]?

  init(_ session: Session) { self.session = session }

  /// Asks the daemon if it must, on another connection, because this one may be scanning.
  mutating func learn(_ found: FoundRecord) {
    guard declared == nil, found.plugins.contains(where: { !session.plugins.has($0) }) else { return }
    let connection = try? session.connect(for: .read)
    declared = connection.map { declaredPlugins($0, session) } ?? []
  }

  func of(_ ids: [String]) -> [CommandInfo] {
    session.plugins.commands(of: ids) + (declared ?? []).filter { ids.contains($0.id) }.flatMap(\.commands)
  }
}

/// The plugins that files declare.
func declaredPlugins(_ connection: Connection, _ session: Session) -> [PluginRecord] {
  let plugins = (try? session.ask(connection, .plugins()))?.content.plugins ?? []
  return plugins.filter { $0.file != nil }
}

extension PluginRegistry {
  fileprivate func has(_ id: String) -> Bool { plugins.contains { $0.info.id == id } }
}
