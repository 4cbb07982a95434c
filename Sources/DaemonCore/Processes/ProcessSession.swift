// One sensor of a plugin that a program decodes: its number in the conversation with the program, whichever
// program that is at the moment.

import Linux
import Sensing
import SensorKit
import SensorProcesses
import Time
import Wire

final class ProcessSession: ProcessPort {
  /// Unique since the daemon's start, so that a late answer never belongs to another sensor.
  let number: Int
  let plugin: SensorInfo
  private(set) weak var reader: SensorReader?
  private weak var keeper: ProcessKeeper?
  private var settings: SensorSettings
  private var isLinked = false
  private var connection: ProcessConnection?
  private(set) var obstacle: StateReason? = .pluginGone

  init(
    _ number: Int, of plugin: SensorInfo, for reader: SensorReader, _ settings: SensorSettings,
    keeper: ProcessKeeper
  ) {
    self.number = number
    self.plugin = plugin
    self.reader = reader
    self.settings = settings
    self.keeper = keeper
  }

  /// A program decodes for the plugin now. The caller tells the reader, unless it is opening this.
  func begin(with connection: ProcessConnection) {
    guard let reader else { return }
    self.connection = connection
    obstacle = nil
    // A program that comes later gets the name that the sensor has by then.
    connection.conversation?.open(
      number, ProcessSensor(id: reader.id, name: reader.deviceName, settings: settings))
    if isLinked { connection.conversation?.send(link: true, of: number) }
    connection.scheduleFlush()
  }

  /// The program is gone, or hangs.
  func end(because obstacle: StateReason) {
    connection = nil
    self.obstacle = obstacle
    reader?.process(of: plugin, changedTo: obstacle)
  }

  func send(packet number: Int, _ value: Span<UInt8>, from origin: PacketSource.Origin, at time: MonotonicTime) {
    guard let connection else { return }
    connection.send(ProcessPacket(session: self.number, packet: number, origin: origin, time: time), value)
  }

  func send(_ command: Command) { connection?.send(command, of: number) }

  var record: ProgramRecord {
    ProgramRecord(
      plugin: plugin.id, user: keeper?.user(of: plugin) ?? "", pid: connection.map { Int($0.peer.process) })
  }

  func linkChanged(isUp: Bool) {
    guard isLinked != isUp else { return }
    isLinked = isUp
    connection?.conversation?.send(link: isUp, of: number)
    connection?.scheduleFlush()
  }

  func apply(_ settings: SensorSettings) {
    guard settings != self.settings else { return }
    self.settings = settings
    connection?.conversation?.send(settings: settings, of: number)
    connection?.scheduleFlush()
  }

  func close() {
    connection?.conversation?.close(number)
    connection?.scheduleFlush()
    connection = nil
    reader = nil
    keeper?.remove(self)
  }
}
