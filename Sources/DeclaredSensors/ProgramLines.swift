// Where a file states what its program does. Kept apart from the program, because only people who
// check a file ask for lines.

internal import IniFile
internal import SensorKit

struct ProgramLines: Sendable {
  /// By the index of each in the program.
  var steps: [Int] = []
  var refusals: [Int] = []
  var packets: [PacketLines] = []
}

struct PacketLines: Sendable {
  /// Of the section's header.
  let header: Int
  /// The first line with its source.
  let source: Int
  let match: Int?
  let rest: Int?
  let records: Int?

  init(_ section: SectionSyntax) {
    header = section.line
    source = section.entries.first { SourceReader.kinds.contains($0.key) }?.line ?? section.line
    match = section.entry("Match")?.line
    rest = section.entry("Rest")?.line
    records = section.entry("Records")?.line
  }
}

extension SensorProgram {
  /// The line that refuses a packet that is empty, or that no packet of the file accepts: of the last
  /// one from there. Nil if none comes from there.
  func line(ofSource source: PacketSource, isEmpty: Bool) -> Int? {
    if let packet = routes.last(where: { $0.carries(source) })?.packet {
      let lines = lines.packets[packet]
      return isEmpty ? lines.header : lines.match ?? lines.source
    }
    let advert = source.isAdvert ? routes.last { if case .advert = $0.origin { true } else { false } } : nil
    return advert.map { lines.packets[$0.packet].source }
  }
}

extension PacketSource {
  fileprivate var isAdvert: Bool {
    switch origin {
    case .manufacturer, .serviceData: true
    case .notified, .indicated, .read: false
    }
  }
}

extension PacketRoute {
  fileprivate func carries(_ source: PacketSource) -> Bool {
    switch (origin, source.origin) {
    case (.characteristic(let service, let own, _), .notified(let from, let other)),
      (.characteristic(let service, let own, _), .indicated(let from, let other)),
      (.characteristic(let service, let own, _), .read(let from, let other)):
      service == from && own == other
    case (.advert(let pattern), .manufacturer(let company)):
      pattern.carrier == .manufacturer(company) || pattern.carrier == .anyManufacturer
    case (.advert(let pattern), .serviceData(let uuid)): pattern.carrier == .serviceData(uuid)
    default: false
    }
  }
}
