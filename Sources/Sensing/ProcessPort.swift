// Programs that decode for sensors, as a reader sees them.

package import SensorKit
package import Time
package import Wire

/// One sensor of a plugin that a program decodes.
package protocol ProcessPort: AnyObject {
  /// Why no program decodes now.
  var obstacle: StateReason? { get }
  var record: ProgramRecord { get }
  /// Sends a packet, by its number in the file.
  func send(packet number: Int, _ value: Span<UInt8>, from origin: PacketSource.Origin, at time: MonotonicTime)
  func send(_ command: Command)
  func linkChanged(isUp: Bool)
  func apply(_ settings: SensorSettings)
  func close()
}

package protocol ProcessPorts: AnyObject {
  /// Answers go to the reader from now on.
  func open(_ plugin: SensorInfo, for reader: SensorReader, _ settings: SensorSettings) -> any ProcessPort
}

/// The ports of a reader: one for each of its plugins that a program decodes.
struct OpenPorts {
  private var ports: [(plugin: SensorInfo, port: any ProcessPort)] = []

  /// Keeps the ports of plugins that stay.
  mutating func follow(_ infos: [SensorInfo], isLinked: Bool, _ open: (SensorInfo) -> (any ProcessPort)?) {
    let former = ports
    ports = []
    for info in infos where info.isOfProcess {
      if let known = former.first(where: { $0.plugin === info }) {
        ports.append(known)
      } else if let port = open(info) {
        ports.append((info, port))
        if isLinked { port.linkChanged(isUp: true) }
      }
    }
    for old in former where !ports.contains(where: { $0.plugin === old.plugin }) { old.port.close() }
  }

  mutating func close() {
    for open in ports { open.port.close() }
    ports = []
  }

  var isEmpty: Bool { ports.isEmpty }

  var records: [ProgramRecord] { ports.map(\.port.record) }

  func port(of plugin: ObjectIdentifier) -> (any ProcessPort)? {
    ports.first { ObjectIdentifier($0.plugin) == plugin }?.port
  }

  /// Sends what a batch hands over.
  func handOver(_ batch: borrowing Batch, from origin: PacketSource.Origin, at time: MonotonicTime) {
    for action in batch.actions {
      guard case .handOver(.packet(let number, let plugin)) = action.verb else { continue }
      port(of: plugin)?.send(packet: number, batch.value(of: action).span, from: origin, at: time)
    }
  }

  static let noProgram = Refusal(.notConnected, "the program that decodes for this sensor does not run")

  /// The plugin whose program makes the bytes of the command in a batch, and its port.
  func process(
    forCommandIn batch: borrowing Batch
  ) throws(Refusal) -> (plugin: SensorInfo, port: any ProcessPort)? {
    for action in batch.actions {
      guard case .handOver(.command(let plugin)) = action.verb else { continue }
      guard let open = ports.first(where: { ObjectIdentifier($0.plugin) == plugin }), open.port.obstacle == nil
      else { throw Self.noProgram }
      return open
    }
    return nil
  }

  func linkChanged(isUp: Bool) {
    for open in ports { open.port.linkChanged(isUp: isUp) }
  }

  func apply(_ settings: SensorSettings) {
    for open in ports { open.port.apply(settings) }
  }

  /// Why none of the plugins that a sensor is for can decode now. Nil if one of them can.
  func obstacle(for infos: [SensorInfo]) -> StateReason? {
    var obstacle: StateReason?
    for info in infos where !info.isCompanion {
      guard info.isOfProcess, let why = port(of: ObjectIdentifier(info))?.obstacle else { return nil }
      obstacle = obstacle ?? why
    }
    return obstacle
  }
}

extension PacketSource.Origin {
  /// Whether the sensor sent the value by itself.
  var isSentByItself: Bool {
    if case .read = self { false } else { true }
  }
}

extension [SensorInfo] {
  /// Whether a sample of that kind proves that the sensor measures. A battery level does not.
  func areFor(_ kind: SampleKind) -> Bool {
    kind != .battery && contains { !$0.isCompanion && $0.kinds.contains(kind) }
  }

  func hasOwnValue(in batch: borrowing Batch) -> Bool {
    for index in batch.entryIndices {
      let entry = batch.entry(index)
      if case .sample(let kind) = entry.kind, !entry.isHidden, areFor(kind) { return true }
    }
    return false
  }
}
