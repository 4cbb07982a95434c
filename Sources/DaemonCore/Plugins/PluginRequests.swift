// `plugins`: what recognizes and decodes sensors, and the sensor files that were left out.

import DeclaredSensors
import JSON
import SensorFolders
import SensorKit
import Serving
import Vocabulary
import Wire

extension PluginKeeper {
  /// Of all plugins, or of one.
  func answer(_ id: String?) -> Answer {
    var reply = PluginsReply()
    reply.plugins = shelf.registry.plugins.filter { id == nil || $0.info.id == id }.map(record)
    if id == nil {
      reply.omitted = (installed?.omissions ?? []).map { OmittedFileRecord($0).limited(to: Self.mostProblems) }
    }
    reply = reply.limitingOmitted(to: Self.mostOmitted)
    return .fitting({ reply.write(into: &$0) }, brief: { Self.brief(reply).write(into: &$0) })
  }

  private static func brief(_ reply: PluginsReply) -> PluginsReply {
    // Of one plugin, the writes are what makes it longer than a line.
    if reply.plugins.count == 1 {
      var limited = reply
      while length(of: limited) > mostBriefBytes, let count = limited.plugins.first?.writes.count, count > 0 {
        limited = limited.limitingWrites(to: count / 2)
      }
      if length(of: limited) <= mostBriefBytes { return limited }
    }
    var brief = reply.brief
    if length(of: brief) > mostBriefBytes { brief = reply.briefest }
    while length(of: brief) > mostBriefBytes, !brief.omitted.isEmpty {
      brief = brief.limitingOmitted(to: brief.omitted.count / 2)
    }
    return brief
  }

  private static func length(of reply: PluginsReply) -> Int {
    var writer = JSONWriter()
    reply.write(into: &writer)
    return writer.bytes.count
  }

  /// All files that are read, and some of those that are too many.
  private static let mostOmitted = 2 * DeclaredSensorSet.mostFiles

  /// Less than a line of the protocol, whose other members need some bytes.
  private static let mostBriefBytes = 63 << 10

  private func record(of plugin: Plugin) -> PluginRecord {
    var record = PluginRecord(plugin.info)
    guard let program = installed?.declared.loaded.first(where: { $0.plugin.info === plugin.info })?.program else {
      return record
    }
    for write in program.writes { record.add(write) }
    let about = program.about
    record.file = installed?.path(of: plugin.info.id)
    record.version = about.version
    record.author = about.author
    record.source = about.source
    record.replaces = about.replaces
    record.programUser = program.process?.user
    record.programWrites = program.process?.writableServices.map(\.description) ?? []
    (record.events, record.facts, record.answers) = (program.events, program.facts, program.answers)
    record.writes = program.writes.map { PluginWriteRecord($0) }
    return record
  }
}

extension PluginRecord {
  fileprivate init(_ info: SensorInfo) {
    self.init()
    id = info.id
    title = info.title
    services = info.services.map(\.description)
    announced = info.announcements.map { AnnouncementRecord($0) }
    adverts = info.adverts.map { AdvertPatternRecord($0) }
    characteristics = info.characteristics.map { CharacteristicRecord($0) }
    kinds = info.kinds.map(\.name.description)
    staleAfterMS = info.silence.staleAfter.map { Int($0.wholeNanoseconds / 1_000_000) }
    commands = info.offers
  }
}

extension PluginRecord {
  /// All that a file can write is shown, so that its user can judge it.
  fileprivate mutating func add(_ write: DeclaredWrite) {
    let (service, characteristic) = (write.service.description, write.characteristic.description)
    let known = characteristics.firstIndex { $0.service == service && $0.characteristic == characteristic }
    guard let known else {
      var record = CharacteristicRecord()
      record.service = service
      record.characteristic = characteristic
      record.uses = [WireWord(.write)]
      return characteristics.append(record)
    }
    if !characteristics[known].uses.contains(WireWord(.write)) { characteristics[known].uses.append(WireWord(.write)) }
  }
}

extension PluginWriteRecord {
  fileprivate init(_ write: DeclaredWrite) {
    self.init()
    switch write.occasion {
    case .connected: when = WireWord(.connected)
    case .keepAlive(let interval):
      when = WireWord(.keepAlive)
      everyS = interval / .seconds(1)
    case .disconnecting: when = WireWord(.disconnecting)
    case .command(let name):
      when = WireWord(.command)
      command = name
    }
    service = write.service.description
    characteristic = write.characteristic.description
    bytes = write.bytes
  }
}

extension AnnouncementRecord {
  fileprivate init(_ announcement: Announcement) {
    self.init()
    service = announcement.service.description
    name = announcement.namePrefix
  }
}

extension AdvertPatternRecord {
  fileprivate init(_ pattern: AdvertPattern) {
    self.init()
    switch pattern.carrier {
    case .manufacturer(let company): self.company = Int(company)
    case .serviceData(let uuid): serviceData = uuid.description
    case .anyManufacturer: break
    }
    if pattern.isWholeName { name = pattern.name } else if !pattern.name.isEmpty { name = pattern.name + "*" }
    service = pattern.service?.description
  }
}

extension CharacteristicRecord {
  fileprivate init(_ use: CharacteristicUse) {
    self.init()
    service = use.service.description
    characteristic = use.characteristic.description
    if use.isSubscribed { uses.append(WireWord(.subscribe)) }
    if use.isRead { uses.append(WireWord(.read)) }
    if uses.isEmpty { uses.append(WireWord(.write)) }
    isRequired = use.isRequired
  }
}

extension OmittedFileRecord {
  fileprivate init(_ omission: Omission) {
    self.init()
    file = omission.path
    isSwitchedOff = omission.problems.isEmpty
    problems = omission.problems.map { problem in
      var record = Problem()
      record.line = problem.line
      record.text = problem.text
      return record
    }
  }
}
