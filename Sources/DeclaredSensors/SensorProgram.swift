// A checked file: what a declared sensor recognizes, reads, computes, publishes and writes. All of
// it is plain data in few arrays, so that running it allocates nothing.

public import SensorKit

public final class SensorProgram: Sendable {
  public let info: SensorInfo
  public let about: SensorDescription
  /// What another program decodes; nil if the file itself says how.
  public let process: ProcessProgram?
  let operations: [Operation]
  let steps: [FieldStep]
  let checks: [FieldCheck]
  /// Bounds, alternatives and unknown numbers of checks.
  let numbers: [Double]
  /// What fields are compared with, and what is written.
  let bytes: [UInt8]
  let packets: [PacketProgram]
  /// The instructions of all packets in the order in which they run.
  let code: [Instruction]
  /// For each packet, where its instructions are.
  let packetCodes: [PacketCode]
  let packetKeys: [PacketKey?]
  let singles: [SingleNumber?]
  let characteristicRoutes: [CharacteristicRoute]
  let advertRoutes: [AdvertRoute]
  let routes: [PacketRoute]
  let records: [NumberedRecord]
  let refusals: [RefusalRule]
  let counters: [CounterProgram]
  let readings: [CounterReading]
  let kept: [KeptField]
  let groups: [GroupProgram]
  let publications: [Publication]
  let publishedFields: [PublishedField]
  let tableRows: [TableRow]
  let start: [StartStep]
  let stop: [WriteProgram]
  let pieces: [WritePiece]
  let commands: [CommandProgram]
  let rests: Code?
  /// The registers that keep their values between packets.
  let keptRegisters: Range<Int>
  /// Whether a text or a list is kept.
  let keepsBytes: Bool
  /// Where the file states all that.
  let lines: ProgramLines
  /// Every write that the file can make.
  public let writes: [DeclaredWrite]
  /// What is allowed, and probably not meant, in the order of the lines.
  public let warnings: [SensorFileProblem]

  init(_ parts: ProgramParts, info: SensorInfo, about: SensorDescription) {
    self.info = info
    self.about = about
    process = parts.process
    operations = parts.operations
    steps = parts.steps
    checks = parts.checks
    numbers = parts.numbers
    bytes = parts.bytes
    packets = parts.packets
    var linker = PacketLinker(parts)
    packetCodes = parts.packets.indices.map { linker.link($0) }
    code = linker.code
    packetKeys = linker.keys
    singles = linker.singles
    advertRoutes = parts.routes.indices.compactMap { AdvertRoute(parts.routes, $0, parts.packets) }
    characteristicRoutes = parts.routes.compactMap { CharacteristicRoute($0, parts.packets) }
    routes = parts.routes
    records = parts.records
    refusals = parts.refusals
    counters = parts.counters
    readings = parts.readings
    kept = parts.kept
    groups = parts.groups
    publications = parts.publications
    publishedFields = parts.publishedFields
    tableRows = parts.tableRows
    start = parts.start
    stop = parts.stop
    pieces = parts.pieces
    commands = parts.commands
    rests = parts.rests
    keptRegisters = 0..<parts.keptCount
    keepsBytes = parts.kept.contains(where: \.hasBytes)
    lines = parts.lines
    writes = parts.writes
    warnings = parts.warnings.sorted { $0.line < $1.line }
  }

  /// Whether a route of advertisements is for devices of that name.
  func accepts(_ name: String, _ advert: AdvertRoute) -> Bool {
    guard case .advert(let pattern) = routes[advert.route].origin else { return false }
    return pattern.accepts(name: name)
  }

  /// The number of `Once` of a packet.
  func once(_ packet: Int, _ bytes: Span<UInt8>, _ registers: inout Registers) -> Double {
    packets[packet].once.map { registers.run($0, self, bytes) } ?? .nan
  }

  /// Which of these rows has a number.
  func row(_ number: Double, _ rows: Range<Int>) -> Int? {
    if number.isNaN { return nil }
    var low = rows.lowerBound
    var high = rows.upperBound
    while low < high {
      let middle = (low + high) / 2
      let row = tableRows[middle]
      if Double(row.number) == number { return middle }
      if Double(row.number) < number { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// The words and numbers that a command takes; empty if it takes any number.
  public func words(of command: String) -> [(word: String, number: Double)] {
    guard let rows = commands.first(where: { $0.name == command })?.rows else { return [] }
    return tableRows[rows].map { ($0.word.description, Double($0.number)) }
  }

  /// The plugin of this file.
  public var plugin: Plugin {
    plugin(info, replaces: nil)
  }

  /// The plugin of this file if it replaces a built-in one. A file cannot state that it is a companion,
  /// or that its samples last, so it inherits that.
  func plugin(inPlaceOf builtIn: SensorInfo) -> Plugin {
    plugin(info.replacing(builtIn), replaces: builtIn.id)
  }

  private func plugin(_ info: SensorInfo, replaces: String?) -> Plugin {
    guard process != nil else {
      return Plugin(info, from: .file(replaces: replaces)) { DeclaredDecoder(self, settings: $0) }
    }
    return Plugin(info, from: .file(replaces: replaces)) { ProcessDecoder(self, info, settings: $0) }
  }
}

/// The description of a file, for users.
public struct SensorDescription: Equatable, Sendable {
  public var version: String?
  public var author: String?
  public var source: String?
  /// The built-in plugin whose place it takes.
  public var replaces: String?
  /// Where the file states that, and its id.
  var replacesLine = 1
  var idLine = 1
}

/// The parts of a program while its file is read.
struct ProgramParts {
  var operations: [Operation] = []
  var steps: [FieldStep] = []
  var checks: [FieldCheck] = []
  var numbers: [Double] = []
  var bytes: [UInt8] = []
  var packets: [PacketProgram] = []
  var routes: [PacketRoute] = []
  var records: [NumberedRecord] = []
  var refusals: [RefusalRule] = []
  var counters: [CounterProgram] = []
  var readings: [CounterReading] = []
  var kept: [KeptField] = []
  var groups: [GroupProgram] = []
  var publications: [Publication] = []
  var publishedFields: [PublishedField] = []
  var tableRows: [TableRow] = []
  var start: [StartStep] = []
  var stop: [WriteProgram] = []
  var pieces: [WritePiece] = []
  var commands: [CommandProgram] = []
  var rests: Code?
  var keptCount = 0
  var process: ProcessProgram?
  var lines = ProgramLines()
  var writes: [DeclaredWrite] = []
  var warnings: [SensorFileProblem] = []
}
