// The reply to `plugins`: what recognizes and decodes sensors, and the sensor files that were left
// out.

public import Vocabulary

public struct PluginsReply: WireObject {
  /// In their order: if two of a sensor have the same kind, the earlier one is published.
  public var plugins: [PluginRecord] = []
  public var omitted: [OmittedFileRecord] = []
  /// How many files that were left out are not in `omitted`.
  public var moreOmitted = 0

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("plugins", &plugins)
    members.member("omitted", &omitted)
    members.member("more_omitted", &moreOmitted, unless: 0)
  }

  /// With brief plugins, and the first problem of each file.
  public var brief: PluginsReply {
    var brief = self
    brief.plugins = plugins.map(\.brief)
    brief.omitted = omitted.map { $0.limited(to: 1) }
    return brief
  }

  /// With the first files of those that were left out.
  public func limitingOmitted(to count: Int) -> PluginsReply {
    var limited = self
    limited.omitted = Array(omitted.prefix(count))
    limited.moreOmitted += omitted.count - limited.omitted.count
    return limited
  }

  /// With the first writes of each plugin.
  public func limitingWrites(to count: Int) -> PluginsReply {
    var limited = self
    limited.plugins = plugins.map { $0.limitingWrites(to: count) }
    return limited
  }

  /// With what identifies each plugin, for many files with many commands.
  public var briefest: PluginsReply {
    var briefest = brief
    briefest.plugins = plugins.map { plugin in
      var record = PluginRecord()
      (record.id, record.title, record.file, record.replaces) = (plugin.id, plugin.title, plugin.file, plugin.replaces)
      record.programUser = plugin.programUser
      return record
    }
    return briefest
  }
}

public struct PluginRecord: WireObject {
  public var id = ""
  public var title = ""
  /// The file that declares it; nil if it is built in.
  public var file: String?
  public var version: String?
  public var author: String?
  /// Where the author of a file knows the bytes from.
  public var source: String?
  /// The built-in plugin whose place it takes.
  public var replaces: String?
  /// The user whose program decodes its packets; nil if the daemon decodes them.
  public var programUser: String?
  public var services: [String] = []
  public var announced: [AnnouncementRecord] = []
  public var adverts: [AdvertPatternRecord] = []
  public var characteristics: [CharacteristicRecord] = []
  public var kinds: [String] = []
  /// Of a file. What built-in plugins publish besides samples is not listed anywhere.
  public var events: [String] = []
  public var facts: [String] = []
  /// The fields of answers to commands.
  public var answers: [String] = []
  public var staleAfterMS: Int?
  public var commands: [CommandInfo] = []
  /// What a file can write.
  public var writes: [PluginWriteRecord] = []
  /// How many writes are not in `writes`.
  public var moreWrites = 0
  /// The services to which the program of a file may write anything.
  public var programWrites: [String] = []

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.member("title", &title)
    members.member("file", &file)
    members.member("version", &version)
    members.member("author", &author)
    members.member("source", &source)
    members.member("replaces", &replaces)
    members.member("program_user", &programUser)
    members.member("services", &services, unless: [])
    members.member("announced", &announced, unless: [])
    members.member("adverts", &adverts, unless: [])
    members.member("characteristics", &characteristics, unless: [])
    members.member("kinds", &kinds)
    members.member("events", &events, unless: [])
    members.member("facts", &facts, unless: [])
    members.member("answers", &answers, unless: [])
    members.member("stale_after_ms", &staleAfterMS)
    members.member("commands", &commands, unless: [])
    members.member("writes", &writes, unless: [])
    members.member("more_writes", &moreWrites, unless: 0)
    members.member("program_writes", &programWrites, unless: [])
  }

  public func limitingWrites(to count: Int) -> PluginRecord {
    var limited = self
    limited.writes = Array(writes.prefix(count))
    limited.moreWrites += writes.count - limited.writes.count
    return limited
  }

  /// Without adverts, characteristics, source and writes, and with the names of commands only. Of what it
  /// publishes, only the kinds.
  public var brief: PluginRecord {
    var brief = self
    (brief.source, brief.announced, brief.adverts, brief.characteristics) = (nil, [], [], [])
    (brief.events, brief.facts, brief.answers) = ([], [], [])
    (brief.writes, brief.moreWrites, brief.programWrites) = ([], 0, [])
    brief.commands = commands.map { CommandInfo($0.name, "") }
    return brief
  }
}

/// A service that other devices advertise too, and how the names of its sensors begin.
public struct AnnouncementRecord: WireObject {
  public var service = ""
  public var name = ""

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("service", &service)
    members.member("name", &name)
  }
}

/// Advertisements that a plugin decodes: of a company, of a service, or of any company.
public struct AdvertPatternRecord: WireObject {
  public var company: Int?
  public var serviceData: String?
  /// The advertised name; with `*` at its end, how the name begins.
  public var name: String?
  /// A service that is advertised too.
  public var service: String?

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("company", &company)
    members.member("service_data", &serviceData)
    members.member("name", &name)
    members.member("service", &service)
  }
}

public struct CharacteristicRecord: WireObject {
  public enum Use: String, CaseIterable, Sendable {
    case subscribe, read, write
  }

  public var service = ""
  public var characteristic = ""
  public var uses: [WireWord<Use>] = []
  /// Whether a device without it cannot be used.
  public var isRequired = false

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("service", &service)
    members.needed("characteristic", &characteristic)
    members.member("uses", &uses)
    members.member("required", &isRequired, unless: false)
  }
}

/// A write that a file can make.
public struct PluginWriteRecord: WireObject {
  public enum Occasion: String, CaseIterable, Sendable {
    case connected, disconnecting, command
    case keepAlive = "keep_alive"
  }

  public var when: WireWord<Occasion>?
  /// Of `keepAlive`, in seconds.
  public var everyS: Double?
  /// The name of the command.
  public var command: String?
  public var service = ""
  public var characteristic = ""
  /// As in the file: `01 u8(value) xor`.
  public var bytes = ""

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.member("when", &when)
    members.member("every_s", &everyS)
    members.member("command", &command)
    members.needed("service", &service)
    members.needed("characteristic", &characteristic)
    members.needed("bytes", &bytes)
  }
}

/// A sensor file that is not used.
public struct OmittedFileRecord: WireObject {
  public struct Problem: WireObject {
    public var line = 0
    public var text = ""

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.needed("line", &line)
      members.needed("text", &text)
    }
  }

  public var file = ""
  /// The owner of the computer switched it off with an empty file.
  public var isSwitchedOff = false
  public var problems: [Problem] = []
  /// How many problems are not in the record.
  public var more = 0

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("file", &file)
    members.member("switched_off", &isSwitchedOff, unless: false)
    members.member("problems", &problems, unless: [])
    members.member("more", &more, unless: 0)
  }

  public func limited(to count: Int) -> OmittedFileRecord {
    var limited = self
    limited.more += max(0, problems.count - count)
    limited.problems = Array(problems.prefix(count))
    return limited
  }
}
