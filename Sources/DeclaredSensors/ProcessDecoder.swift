// The plugin of a file whose packets go to a process. It does what the file itself says: start, stop and
// commands. Packets are handed over, so it publishes nothing.

internal import SensorKit

struct ProcessDecoder: SensorDecoder {
  private var declared: DeclaredDecoder
  private let program: SensorProgram
  private let info: SensorInfo

  /// `info` is that of the plugin, which can differ from that of the file.
  init(_ program: SensorProgram, _ info: SensorInfo, settings: SensorSettings) {
    declared = DeclaredDecoder(program, settings: settings)
    self.program = program
    self.info = info
  }

  mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    batch.handOver(value, packet: try declared.number(of: value, from: source), of: info)
  }

  mutating func command(_ command: Command, at time: MonotonicTime, into batch: inout Batch) throws(CommandError) {
    try declared.command(command, at: time, into: &batch)
    if program.commands.contains(where: { $0.name == command.name && $0.isOfProcess }) {
      batch.handOverCommand(of: info)
    }
  }

  mutating func commandFailed() { declared.commandFailed() }
  mutating func answered() { declared.answered() }
  var awaitsAnswer: Bool { declared.awaitsAnswer }

  mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    declared.connected(at: time, into: &batch)
  }

  mutating func disconnecting(into batch: inout Batch) { declared.disconnecting(into: &batch) }
  mutating func disconnected() { declared.disconnected() }
  mutating func settingsChanged(_ settings: SensorSettings) { declared.settingsChanged(settings) }
  var deadline: MonotonicTime? { declared.deadline }
  mutating func tick(at time: MonotonicTime, into batch: inout Batch) { declared.tick(at: time, into: &batch) }
  var silence: Silence { declared.silence }
}
