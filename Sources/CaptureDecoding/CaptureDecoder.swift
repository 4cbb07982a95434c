// Decodes a capture with the plugins, without a daemon, and yields the same records as the socket.
// The time is that of the file, there is no wall time, and a sensor has the name of its device in
// the file. Every plugin decodes every device, because a capture does not record how a device was
// recognized.

public import CaptureFormat
import SampleLines
public import SensorKit
import Time
import Vocabulary

public struct CaptureDecoder: ~Copyable {
  private let plugins: PluginRegistry
  fileprivate var devices: [Device] = []
  private var batch = Batch()
  private var now = MonotonicTime(nanoseconds: 0)
  /// The lines produced so far. The caller reads them and calls `removeAll`.
  public let output: any DecodedOutput

  fileprivate struct Device {
    let id: String
    var sender: Sender
    var services: [BluetoothUUID]
    var settings = SensorSettings()
    var host: PluginHost
    /// Its index among the sensors of the ride.
    let rideSource: Int
    var sequences = SequenceCounts()
  }

  private let ride: DerivedRide?

  /// A header line was found.
  private(set) var hasHeader = false

  /// `withRide`: also derive the ride.
  public init(
    plugins: PluginRegistry, withRide: Bool = false, output: any DecodedOutput = DecodedJSON()
  ) {
    self.plugins = plugins
    self.output = output
    ride = withRide ? DerivedRide() : nil
  }

  /// Executes a line. If it throws, the decoder is unchanged.
  public mutating func run(_ line: CaptureLine) throws(CaptureError) {
    switch line {
    case .blank, .comment: break
    case .header: hasHeader = true
    case .device(let device): declare(device)
    case .setting(let device, let key, let value): try set(key, to: value, of: index(of: device))
    case .event(let time, let device, let event):
      let index = try index(of: device)
      try advance(to: time)
      run(event, of: index)
    case .position(let time, let report):
      try locate(report, at: time)
    }
  }
}

extension CaptureDecoder {
  /// The end of the capture: the ride continues to its last whole second, and plugins publish
  /// incomplete pieces.
  public mutating func finish() {
    let end = now + .seconds(1)
    advanceTime(to: end)
    tick(at: end)
  }
}

// MARK: Devices

extension CaptureDecoder {
  /// A device may be declared again; it keeps its counters.
  private mutating func declare(_ device: CaptureDevice) {
    let sender = Sender(address: device.address ?? "", name: device.name ?? "")
    if let index = devices.firstIndex(where: { $0.id == device.id }) {
      devices[index].sender = sender
      devices[index].services = device.services
      devices[index].host.nameChanged(sender.name)
    } else {
      let host = plugins.host(plugins.plugins, settings: SensorSettings(), name: sender.name)
      devices.append(
        Device(
          id: device.id, sender: sender, services: device.services, host: host,
          rideSource: ride?.enter(device.id) ?? 0))
    }
  }

  private func index(of device: String) throws(CaptureError) -> Int {
    guard let index = devices.firstIndex(where: { $0.id == device }) else {
      throw CaptureError("no device is called \"\(device)\": a line \"device \(device)\" is expected before")
    }
    return index
  }

  /// Settings that no plugin uses belong to the ride; without a ride they are ignored.
  private mutating func set(_ key: String, to value: String, of index: Int) throws(CaptureError) {
    try setOfPlugins(key, to: value, of: index)
    try ride?.set(key, to: value, of: devices[index].rideSource)
    followWheel(of: index)
  }

  /// With a ride, the plugin uses the ride's circumference, because it may have been measured.
  private mutating func followWheel(of index: Int) {
    guard let ride, let size = ride.measuredMM(of: devices[index].rideSource),
      size != devices[index].settings.circumferenceMM
    else { return }
    devices[index].settings.circumferenceMM = size
    devices[index].host.settingsChanged(devices[index].settings)
  }

  /// Handles a report of gpsd. An unreadable report does not advance the time.
  private mutating func locate(_ report: String, at time: MonotonicTime) throws(CaptureError) {
    try requireOrder(time)
    let fix = try ride?.fix(in: report, at: time)
    advanceTime(to: time)
    guard let ride, let fix else { return }
    ride.take(fix, at: now, into: output)
    for index in devices.indices { followWheel(of: index) }
  }

  private mutating func setOfPlugins(_ key: String, to value: String, of index: Int) throws(CaptureError) {
    switch key {
    case Setting.circumference.key:
      guard let millimetres = Double(value), millimetres.isFinite, millimetres > 0 else {
        throw CaptureError("circumference_mm is a number above 0, not \"\(value)\"")
      }
      devices[index].settings.circumferenceMM = millimetres
    // Unknown roles are ignored, because they may come from another release.
    case Setting.role.key: devices[index].settings.role = SensorRole(rawValue: value)
    default: return
    }
    devices[index].host.settingsChanged(devices[index].settings)
  }
}

// MARK: Events

extension CaptureDecoder {
  private mutating func advance(to time: MonotonicTime) throws(CaptureError) {
    try requireOrder(time)
    advanceTime(to: time)
  }

  private func requireOrder(_ time: MonotonicTime) throws(CaptureError) {
    guard time >= now else { throw CaptureError("time goes back: \(now.seconds) or later is expected") }
  }

  /// Runs the deadlines of plugins in order, each at its own time. Events at exactly the time of a
  /// deadline come first.
  private mutating func advanceTime(to time: MonotonicTime) {
    while let next = nextDeadline(), next < time {
      moveClock(to: max(next, now))
      tick(at: now)
    }
    moveClock(to: time)
  }

  private mutating func tick(at time: MonotonicTime) {
    for index in devices.indices {
      guard let deadline = devices[index].host.deadline, deadline <= time else { continue }
      batch.removeAll()
      devices[index].host.tick(at: time, into: &batch)
      publish(index)
    }
  }

  private mutating func moveClock(to time: MonotonicTime) {
    ride?.advance(to: time, into: output)
    now = time
  }

  private func nextDeadline() -> MonotonicTime? {
    var earliest: MonotonicTime?
    for index in devices.indices {
      guard let deadline = devices[index].host.deadline else { continue }
      earliest = min(earliest ?? deadline, deadline)
    }
    return earliest
  }

  private mutating func run(_ event: CaptureEvent, of index: Int) {
    switch event {
    case .connected:
      batch.removeAll()
      devices[index].host.connected(at: now, into: &batch)
      publish(index)
    case .disconnected: devices[index].host.disconnected()
    case .value(let verb, let uuid, let value):
      guard let service = devices[index].host.service(of: uuid, among: devices[index].services),
        let origin = PacketSource.Origin(verb, service, uuid)
      else { return }
      decode(value, from: origin, called: uuid.description, of: index)
    case .advert(let company, let value):
      decode(value, from: .manufacturer(company), called: companyText(company), of: index)
    case .serviceData(let uuid, let value):
      decode(value, from: .serviceData(uuid), called: uuid.description, of: index)
    }
  }

  private mutating func decode(_ value: [UInt8], from origin: PacketSource.Origin, called name: String, of index: Int) {
    batch.removeAll()
    let source = PacketSource(origin, sender: devices[index].sender)
    do throws(DecodeError) {
      try devices[index].host.decode(value.span, from: source, at: now, into: &batch)
      publish(index)
    } catch {
      output.refused(sensor: devices[index].id, time: now, source: name, error)
    }
  }

  private mutating func publish(_ index: Int) {
    for entryIndex in batch.entryIndices {
      let entry = batch.entry(entryIndex)
      switch entry.kind {
      // All facts, including hidden ones: a capture shows everything that was sent.
      case .fact: output.facts(sensor: devices[index].id, time: now, entry, of: batch)
      case .answer: output.answer(sensor: devices[index].id, time: now, entry, of: batch)
      case .sample where entry.isHidden: break
      case .event(let name): output.event(name, sensor: devices[index].id, time: now, entry, of: batch)
      case .sample(let kind):
        let header = SampleHeader(sensor: devices[index].id, sequence: devices[index].sequences.next(kind), time: now)
        output.sample(kind, header, entry, of: batch)
        guard devices[index].host.counts(kind) else { continue }
        let source = devices[index].rideSource
        ride?.take(entry, of: batch, from: source, at: now, into: output)
      }
    }
  }
}

extension PacketSource.Origin {
  /// Nil for values written by the host, which no plugin decodes.
  fileprivate init?(_ verb: CaptureEvent.Verb, _ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    switch verb {
    case .notify: self = .notified(service: service, characteristic: characteristic)
    case .indicate: self = .indicated(service: service, characteristic: characteristic)
    case .read: self = .read(service: service, characteristic: characteristic)
    case .write: return nil
    }
  }
}
