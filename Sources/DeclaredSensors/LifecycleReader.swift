// Reads [Start] and [Stop]: what is done when the link comes up, and before the daemon ends it.

internal import IniFile
internal import SensorKit

struct LifecycleReader {
  private let problems: ProblemList
  private let writes: WriteCompiler

  init(_ problems: ProblemList, services: [BluetoothUUID], kept: [String: Binding]) {
    self.problems = problems
    writes = WriteCompiler(Scope(place: "the file", words: [.settings], kept: kept), services: services)
  }

  mutating func addStart(
    _ section: SectionSyntax, _ packets: [PacketSyntax], _ places: SourceReader, into parts: inout ProgramParts
  ) {
    for entry in section.entries {
      let steps = problems.collect(entry.line, entry.key) { () throws(Mistake) in
        try start(entry, packets, places, into: &parts)
      }
      parts.start += steps ?? []
    }
    if section.entries.count(where: { $0.key == "Write" || $0.key == "KeepAlive" }) > WriteProgram.mostWrites {
      problems.add(section.line, "[Start] has at most \(WriteProgram.mostWrites) writes")
    }
    for (index, packet) in packets.enumerated() { warn(of: packet, index, section, places, &parts) }
  }

  private func warn(
    of packet: PacketSyntax, _ index: Int, _ section: SectionSyntax, _ places: SourceReader,
    _ parts: inout ProgramParts
  ) {
    let subscribed = places.characteristics(of: index, [.notified, .indicated])
    let all = subscribed + places.characteristics(of: index, .read)
    guard !all.isEmpty, all.allSatisfy({ parts.start.verbs(for: $0.0, $0.1).isEmpty }) else { return }
    let missing = subscribed.isEmpty ? "Read" : "Subscribe"
    parts.warnings.append(
      SensorFileProblem(
        line: section.line,
        "\(packet.section.title) never arrives, because [Start] names all that is subscribed to and read; "
          + "add \(missing) = \(packet.section.name)"))
  }

  mutating func addStop(_ section: SectionSyntax, into parts: inout ProgramParts) {
    for entry in section.entries("Write") {
      let write = problems.collect(entry.line, "Write") { () throws(Mistake) in
        try writes.write(entry.value, into: &parts)
      }
      if let write {
        parts.stop.append(write)
        parts.writes.append(DeclaredWrite(.disconnecting, write, entry.value, line: entry.line))
      }
    }
    if parts.stop.count > WriteProgram.mostWrites {
      problems.add(section.line, "[Stop] has at most \(WriteProgram.mostWrites) writes")
    }
  }

  private func start(
    _ entry: IniText.Entry, _ packets: [PacketSyntax], _ places: SourceReader, into parts: inout ProgramParts
  ) throws(Mistake) -> [StartStep] {
    switch entry.key {
    case "Subscribe", "Read":
      let isRead = entry.key == "Read"
      guard let index = packets.firstIndex(where: { $0.section.name == entry.value }) else {
        throw Mistake("there is no [Packet \(entry.value)]")
      }
      let found = places.characteristics(of: index, isRead ? .read : [.notified, .indicated])
      guard !found.isEmpty else {
        throw Mistake(
          "[Packet \(entry.value)] has no \(isRead ? "Read or ReadAndNotify" : "Notify, Indicate or ReadAndNotify")")
      }
      return found.map { place in
        isRead ? .read(service: place.0, place.1) : .subscribe(service: place.0, place.1)
      }
    case "Write":
      let write = try writes.write(entry.value, into: &parts)
      parts.writes.append(DeclaredWrite(.connected, write, entry.value, line: entry.line))
      return [.write(write)]
    case "KeepAlive":
      let words = entry.value.split(separator: " " as Character, maxSplits: 1)
      guard words.count == 2, let seconds = NumberText.number(words[0]), 1...86_400 ~= seconds else {
        throw Mistake("expected SECONDS SERVICE CHARACTERISTIC: BYTES, with 1 second or more")
      }
      let write = try writes.write(String(words[1]), into: &parts)
      let interval = Duration.milliseconds(Int64((seconds * 1000).rounded()))
      parts.writes.append(DeclaredWrite(.keepAlive(every: interval), write, entry.value, line: entry.line))
      return [.keepAlive(write, every: interval)]
    default: return []
    }
  }
}
