// Reads the section [Sensor]: who the sensor is, how it is recognized, and how long it may be silent.

internal import IniFile
internal import SensorKit

struct SensorSectionReader {
  private let section: SectionSyntax
  private let problems: ProblemList

  init(_ section: SectionSyntax, _ problems: ProblemList) {
    self.section = section
    self.problems = problems
  }

  func read() -> SensorIdentity {
    var identity = SensorIdentity()
    checkFormat()
    identity.id = required("Id") { text throws(Mistake) in
      guard SectionSyntax.isName(text), text.utf8.count <= 40 else {
        throw Mistake("use small letters, digits and _, a letter first, at most 40")
      }
    }
    identity.title = required("Title") { text throws(Mistake) in
      guard Self.isText(text) else { throw Mistake("a title has 1 to 64 characters") }
    }
    for entry in section.entries("Service") {
      if let uuid = collect(entry, { () throws(Mistake) in try SourceSyntax.uuid(entry.value) }) {
        identity.services.append(uuid)
      }
    }
    for entry in section.entries("Announced") {
      if let announcement = collect(entry, { () throws(Mistake) in try Self.announcement(entry.value) }) {
        identity.announcements.append(announcement)
      }
    }
    identity.silence = silence()
    identity.about.version = section.entry("Version")?.value
    identity.about.author = section.entry("Author")?.value
    identity.about.source = section.entry("Source")?.value
    for key in ["Version", "Author", "Source"] {
      if let entry = section.entry(key), entry.value.isEmpty { problems.add(entry.line, "\(key) is empty") }
    }
    identity.about.idLine = section.entry("Id")?.line ?? section.line
    if let entry = section.entry("Replaces") {
      identity.about.replacesLine = entry.line
      identity.about.replaces = collect(entry) { () throws(Mistake) in
        guard SectionSyntax.isName(entry.value) else { throw Mistake("the id of a built-in plugin is expected") }
        return entry.value
      }
    }
    return identity
  }

  private func collect<Value>(_ entry: IniText.Entry, _ body: () throws(Mistake) -> Value) -> Value? {
    problems.collect(entry.line, entry.key, body)
  }

  private func checkFormat() {
    if section.entry("Format") == nil, !section.isDamaged { problems.add(section.line, "[Sensor] has no Format = 1") }
  }

  private func required(_ key: String, _ check: (String) throws(Mistake) -> Void) -> String {
    guard let entry = section.entry(key) else {
      if !section.isDamaged { problems.add(section.line, "[Sensor] has no \(key)") }
      return ""
    }
    _ = problems.collect(entry.line, "\(key) = \(entry.value)") { () throws(Mistake) in try check(entry.value) }
    return entry.value
  }

  private static func isText(_ text: String) -> Bool {
    1...64 ~= text.unicodeScalars.count
  }

  /// `SERVICE NAME`
  private static func announcement(_ text: String) throws(Mistake) -> Announcement {
    let words = text.split(separator: " " as Character, maxSplits: 1)
    guard words.count == 2 else { throw Mistake("a service and the beginning of a name are expected") }
    let service = try SourceSyntax.uuid(words[0])
    let name = words[1].drop { $0 == " " }
    guard !name.hasSuffix("*") else {
      throw Mistake("NAME is how the name begins, so write \(words[0]) \(name.dropLast()) without *")
    }
    return Announcement(of: service, namePrefix: String(name))
  }

  private func silence() -> Silence {
    let stale = seconds("StaleAfter")
    let reconnect = seconds("ReconnectAfter")
    if let stale, let reconnect, reconnect < stale, let entry = section.entry("ReconnectAfter") {
      problems.add(entry.line, "ReconnectAfter: this is less than StaleAfter")
    }
    return Silence(staleAfter: stale, reconnectAfter: reconnect)
  }

  private func seconds(_ key: String) -> Duration? {
    guard let entry = section.entry(key) else { return nil }
    return collect(entry) { () throws(Mistake) in
      guard let number = NumberText.number(entry.value), 1...86_400 ~= number else {
        throw Mistake("seconds from 1 to 86400 are expected")
      }
      return .milliseconds(Int64((number * 1000).rounded()))
    }
  }
}

/// What [Sensor] states.
struct SensorIdentity {
  var id = ""
  var title = ""
  var services: [BluetoothUUID] = []
  var announcements: [Announcement] = []
  var silence = Silence.unlimited
  var about = SensorDescription()

  func info(
    _ places: SourceReader, _ commands: CommandReader, kinds: [SampleKind], countsWheel: Bool,
    isOfProcess: Bool
  ) -> SensorInfo {
    SensorInfo(
      id: id, title: title, services: services, announcements: announcements, adverts: places.adverts,
      characteristics: places.characteristics + commands.written(besides: places.characteristics), kinds: kinds,
      silence: silence, commands: commands.offers, writtenTo: commands.target, countsWheel: countsWheel,
      countsForWarnings: false, isOfProcess: isOfProcess)
  }
}
