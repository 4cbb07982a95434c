// Decodes bytes from a link into samples, and keeps what the session learns about its sensor.

import CaptureFormat
import EventLoop
import JSON
import Linux
import ProgramKit
import Radio
import Ride
import SensorKit
import Serving
import Time
import Vocabulary
import Wire

extension SensorSession: LinkDelegate {
  func linkIsUp(_ link: any Link) {
    guard link === self.link else { return }
    linkCameUp()
  }

  func link(_ link: any Link, revealed address: DeviceAddress) {
    guard link === self.link, address != self.address else { return }
    environment.log.info("\(title): its identity address is \(address)", .sensor(id), .address(self.address.text))
    self.address = address
    delegate?.sessionMoved(self)
  }

  func link(_ link: any Link, openedWith endpoints: [Endpoint]) {
    guard link === self.link else { return }
    linkCameUp()
    // Subscribing may take long, as the user may be asked for a passkey.
    limitConnecting(to: ReconnectPolicy.serviceTime)
    leaveQueue()
    isLinkOpen = true
    (hasSpoken, wasDemanded) = (false, false)
    environment.captures.record(.connected, of: id, at: environment.loop.now)
    let offered = Set(endpoints)
    let device = DeviceDescription(name: deviceName, services: endpoints.map(\.service))
    let plugins = environment.plugins.recognize(device) { $0.canUse(offered) }
    guard !plugins.isEmpty else {
      let detail = "none of its services is supported"
      if isProvisional { return fail(LinkFailure(.needsUser, .unsupported, detail)) }
      // Services that worked before may be missing in BlueZ's cache, or be found later.
      return fail(LinkFailure(forgetServices() ? .outdated : .unanswered, .unsupported, detail))
    }
    // The same plugins keep their counters across the gap. Different plugins mean other firmware or
    // the first connection.
    if host == nil || infos.map(\.id) != plugins.map(\.info.id) {
      host = environment.plugins.host(plugins, settings: settings, name: deviceName)
      infos = plugins.map(\.info)
    }
    commands = infos.filter { $0.takesCommands(offered) }.flatMap(\.offers)
    batch.removeAll()
    host?.connected(at: environment.loop.now, into: &batch)
    actions = ActionQueue(on: link, offered: offered, infos: infos, owner: self)
    actions?.add(batch)
  }

  func link(_ link: any Link, received value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool) {
    guard link === self.link else { return }
    let origin: PacketSource.Origin =
      indicated
      ? .indicated(service: endpoint.service, characteristic: endpoint.characteristic)
      : .notified(service: endpoint.service, characteristic: endpoint.characteristic)
    decode(value, from: origin, isLive: true)
  }

  func link(_ link: any Link, closedWith failure: LinkFailure) {
    guard link === self.link else { return }
    fail(failure)
  }

  /// `isLive`: the sensor sent the value by itself. Only values that a plugin other than a
  /// companion understands end a silence.
  func decode(_ value: Span<UInt8>, from origin: PacketSource.Origin, isLive: Bool) {
    let time = environment.loop.now
    let source = PacketSource(origin, sender: sender)
    capture(value, from: origin, at: time)
    batch.removeAll()
    do throws(DecodeError) {
      let isOfSensor = try host?.decode(value, from: source, at: time, into: &batch)
      if isLive, isOfSensor == true {
        hasSpoken = true
        lastReceived = environment.loop.now
        noteQuality(source)
      }
    } catch {
      environment.log.debug(
        "\(name): refused \(value.count) bytes: \(error.reason.rawValue) at \(error.offset)", .sensor(id))
    }
    if publish(at: time) == .early { keep(value, from: origin, at: time) }
    if state == .stale, isLive { watchLink() }
    if !batch.actions.isEmpty { actions?.add(batch, forCommand: commandUnderWay != nil) }
    scheduleTick()
  }

  /// The outcome of publishing a batch: `early` if it had samples that must wait for the first
  /// value.
  enum Publishing { case done, early }

  @discardableResult
  func publish(at time: MonotonicTime) -> Publishing {
    if state != .streaming { streamIfValued() }
    var backup = false
    var outcome = Publishing.done
    for index in batch.entryIndices {
      let entry = batch.entry(index)
      switch entry.kind {
      case .sample(let kind):
        if kind == .battery { backup = noteBattery(entry) || backup }
        guard !entry.isHidden else { continue }
        guard state == .streaming else {
          if !isOwn(kind) { outcome = .early }
          continue
        }
        noteFirstValue(kind)
        // The samples of a sensor that is being paired are not published.
        guard !isProvisional else { continue }
        environment.publisher.publish(entry, of: batch, on: stream(kind), at: time)
        if let source = rideSource ?? findRideSource() {
          environment.ride.handle(entry, of: batch, from: source, at: time)
        }
      case .fact where entry.isHidden: break
      case .fact: backup = noteFacts(entry) || backup
      case .answer: answered(entry)
      // Only rides have events.
      case .event: break
      }
    }
    if backup { noteNews() }
    return outcome
  }

  private func stream(_ kind: SampleKind) -> SampleStream {
    if let known = streams.first(where: { $0.kind == kind }) { return known }
    let stream = environment.publisher.stream(id, kind)
    streams.append(stream)
    return stream
  }

  private func findRideSource() -> RideKeeper.Source? {
    rideSource = environment.ride.source(of: id)
    forwardSignal()
    return rideSource
  }

  /// If two sensors measure the same, the ride prefers the one with the stronger signal.
  func forwardSignal() {
    guard let rideSource else { return }
    environment.ride.note(signal: rssi.map(Double.init), of: rideSource)
  }

  /// Whether a sample of that kind proves that the sensor measures. A battery level does not.
  func isOwn(_ kind: SampleKind) -> Bool {
    kind != .battery && infos.contains { !$0.isCompanion && $0.kinds.contains(kind) }
  }

  private func noteFirstValue(_ kind: SampleKind) {
    guard !hasValue, isOwn(kind) else { return }
    hasValue = true
    firstValueAt = environment.loop.now
    trouble = Trouble()
    failure = nil
    record.recordValue(at: environment.loop.now)
    delegate?.sessionReceivedFirstValue(self)
  }
}

extension SensorSession: ActionQueueOwner {
  func actions(_ queue: ActionQueue, read value: Span<UInt8>, from endpoint: Endpoint) {
    guard queue === actions else { return }
    decode(value, from: .read(service: endpoint.service, characteristic: endpoint.characteristic), isLive: false)
  }

  func actions(_ queue: ActionQueue, wrote value: [UInt8], to endpoint: Endpoint) {
    guard queue === actions else { return }
    environment.captures.record(
      .value(.write, endpoint.characteristic, value), of: id, at: environment.loop.now)
  }

  func actions(_ queue: ActionQueue, endedCommandWith failure: LinkFailure?) {
    guard queue === actions else { return }
    wroteCommand(failure)
  }

  func actions(_ queue: ActionQueue, failed failure: LinkFailure) {
    guard queue === actions else { return }
    // A user is pairing and can answer a passkey prompt.
    if failure.needsBond, isProvisional, let link { return link.bond() }
    fail(failure)
  }

  func actionsAreDone(_ queue: ActionQueue) {
    guard queue === actions, hasNews else { return }
    noteNews()
  }

  func requiredActionsAreDone(_ queue: ActionQueue) {
    guard queue === actions, state == .connecting else { return }
    awaitFirstValue()
  }
}

// MARK: Before the first value

extension SensorSession {
  /// A packet of a companion that arrived before the first value, such as a battery level read
  /// after connecting.
  struct EarlyPacket {
    let origin: PacketSource.Origin
    let bytes: [UInt8]
    let time: MonotonicTime
  }

  /// Keeps the last packet of each origin.
  private func keep(_ value: Span<UInt8>, from origin: PacketSource.Origin, at time: MonotonicTime) {
    guard isLinkOpen else { return }
    early.removeAll { $0.origin == origin }
    early.append(EarlyPacket(origin: origin, bytes: value.indices.map { value[$0] }, time: time))
  }

  /// Must not run while the first packet is being handled. Captures have these packets already.
  func publishEarly() {
    guard state == .streaming else { return }
    let packets = early
    early = []
    for packet in packets {
      batch.removeAll()
      _ = try? host?.decode(
        packet.bytes.span, from: PacketSource(packet.origin, sender: sender), at: packet.time, into: &batch)
      publish(at: packet.time)
    }
  }
}

extension SensorSession {
  /// Reads again what was read before the sensor was paired and its samples could be published.
  func readCompanions() {
    batch.removeAll()
    for info in infos where info.isCompanion {
      for use in info.characteristics where use.isRead { batch.read(use.service, use.characteristic) }
    }
    actions?.add(batch)
  }
}

// MARK: What it learns

extension SensorSession {
  private func noteBattery(_ entry: Batch.Entry) -> Bool {
    guard let charge = batch.number(.batteryPct, of: entry), charge != batteryPct else { return false }
    batteryPct = charge
    return true
  }

  /// Reports the results of several reads after a connect together, once they are done.
  func noteNews() {
    hasNews = actions?.isActing == true
    if !hasNews { delegate?.sessionLearned(self) }
  }

  private func noteFacts(_ entry: Batch.Entry) -> Bool {
    var backup = false
    for index in entry.fields {
      let field = batch.field(index)
      let value = batch.json(field.value)
      if let known = facts.firstIndex(where: { $0.name == field.field.name.description }) {
        backup = backup || facts[known].value != value
        facts[known].value = value
      } else {
        facts.append((field.field.name.description, value))
        backup = true
      }
    }
    return backup
  }
}

extension Batch {
  /// Converts a value of a fact or an answer, for later use.
  func json(_ value: Value) -> JSONValue {
    switch value {
    case .number(let number): .number(number)
    case .largeCount(let count): .number(Double(count))
    case .flag(let flag): .bool(flag)
    case .word(let word): .string(word.description)
    case .text(let range): .string(String(decoding: text(range), as: UTF8.self))
    case .words(let range): .array(range.map { .string(word($0).description) })
    case .numbers(let range, let width):
      width == 1
        ? .array(range.map { .number(number($0)) })
        : .array(
          stride(from: range.lowerBound, to: range.upperBound, by: width).map { start in
            .array((start..<min(start + width, range.upperBound)).map { .number(number($0)) })
          })
    case .objects(let range):
      .array(
        range.map { index in
          .object(
            object(index).map { JSONValue.Member(objectField($0).field.name.description, json(objectField($0).value)) })
        })
    }
  }
}

extension SensorInfo {
  /// Whether the device has all the characteristics that this plugin requires.
  fileprivate func canUse(_ offered: Set<Endpoint>) -> Bool {
    characteristics.allSatisfy {
      !$0.isRequired || offered.contains(Endpoint(service: $0.service, characteristic: $0.characteristic))
    }
  }
}
