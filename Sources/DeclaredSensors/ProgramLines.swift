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
  let match: Int?
  let rest: Int?
  let records: Int?

  init(_ section: SectionSyntax) {
    header = section.line
    match = section.entry("Match")?.line
    rest = section.entry("Rest")?.line
    records = section.entry("Records")?.line
  }
}

extension SensorProgram {
  /// The line that refuses a packet that is empty, or that no `Match` accepts: of the last packet from
  /// there.
  func line(ofSource source: PacketSource, isEmpty: Bool) -> Int {
    let packet = routes.last { $0.carries(source) }?.packet ?? 0
    guard packets.indices.contains(packet) else { return 1 }
    return isEmpty ? lines.packets[packet].header : lines.packets[packet].match ?? lines.packets[packet].header
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
