// Turns the bytes of one sensor into samples, and keeps what it learns about the sensor. It knows
// plugins and nothing of connecting: its owner tells it when there is a link, and decides whether
// samples are published.

import CaptureFormat
package import EventLoop
package import JSON
package import ProgramKit
package import Radio
package import SensorKit
package import Time
package import Vocabulary
package import Wire

package protocol SensorReaderOwner: AnyObject {
  /// The sensor sent a packet by itself that a plugin other than a companion understands.
  /// `characteristic` is nil for an advert.
  func reader(_ reader: SensorReader, understoodPacketFrom characteristic: BluetoothUUID?)
  /// The packet has a value of what the sensor is for.
  func readerFoundValue(_ reader: SensorReader)
  /// Whether samples are published now.
  func isPublishing(_ reader: SensorReader) -> Bool
  func reader(
    _ reader: SensorReader, read entry: Batch.Entry, of batch: borrowing Batch, _ kind: SampleKind,
    at time: MonotonicTime)
  func reader(
    _ reader: SensorReader, readEvent name: Word, _ entry: Batch.Entry, of batch: borrowing Batch,
    at time: MonotonicTime)
  /// What is known of the sensor has changed, such as its facts or plugins.
  func readerLearned(_ reader: SensorReader)
  /// All required subscriptions are done.
  func readerIsReady(_ reader: SensorReader)
  /// A program that decodes for the sensor came or went: see `obstacle`.
  func readerChangedProcess(_ reader: SensorReader)
  /// A program did not answer a packet in time.
  func readerMissedAnswer(_ reader: SensorReader)
  /// A packet that a program decoded is done.
  func readerEndedPacket(_ reader: SensorReader)
  /// Something is required and failed, so the link is of no use.
  func reader(_ reader: SensorReader, failed failure: LinkFailure)
}

package final class SensorReader {
  /// The description of its plugins.
  package private(set) var infos: [SensorInfo] = []
  package var facts: [(name: String, value: JSONValue)] { knownFacts.all }
  package var batteryPct: Double? { knownFacts.batteryPct }
  package private(set) var settings: SensorSettings
  /// The advertised name, whatever the user calls the sensor. Plugins may recognize it by this name.
  package private(set) var deviceName: String

  /// Unowned, because it owns the reader.
  private unowned var owner: (any SensorReaderOwner)?
  private let services: ReaderServices
  package private(set) var id: String
  private var address: DeviceAddress
  /// The source of its packets, made once because every packet refers to it.
  private var sender: Sender
  private var host: PluginHost?
  private var knownFacts = KnownFacts()
  private var batch = Batch()
  private var actions: ActionQueue?
  /// The ids of the plugins that it had last.
  private var known: [String]
  /// What the sensor has, while there is a link.
  private var offered: Set<Endpoint>?
  /// The commands that its characteristics allow; nil until the first connection.
  private var commands: [CommandInfo]?
  private var commandUnderWay: CommandUnderWay?
  private var writesOfFormer: [LinkWrite] = []
  private var ports = OpenPorts()
  private var early = EarlyPackets()
  /// Companions are read again when the packet in hand is done.
  private var areCompanionsRead = false
  /// Something has changed and was not reported yet.
  private var hasNews = false
  private var tickDeadline: Deadline?

  /// `plugins`: the ids of those that it had last.
  package init(
    id: String, address: DeviceAddress, deviceName: String, settings: SensorSettings, plugins: [String],
    services: ReaderServices
  ) {
    self.id = id
    known = plugins
    self.address = address
    self.deviceName = deviceName
    self.settings = settings
    self.services = services
    sender = Sender(address: address.text, name: deviceName)
  }

  /// Called by the owner before its first link, and with nil before it goes.
  package func work(for owner: (any SensorReaderOwner)?) {
    self.owner = owner
    if owner == nil { ports.close() }
  }

  package func introduce(id: String, deviceName: String) {
    self.id = id
    self.deviceName = deviceName
    sender = Sender(address: address.text, name: deviceName)
  }

  package func move(to address: DeviceAddress) {
    self.address = address
    sender = Sender(address: address.text, name: deviceName)
  }

  package func update(deviceName: String) {
    guard deviceName != self.deviceName else { return }
    introduce(id: id, deviceName: deviceName)
    host?.nameChanged(deviceName)
    if let host { ports.apply(host.settings) }
  }

  /// Keeps counters and distances.
  package func apply(_ settings: SensorSettings) {
    self.settings = settings
    host?.settingsChanged(settings)
    if let host { ports.apply(host.settings) }
  }

  /// Whether the ride may use samples of that kind.
  package func counts(_ kind: SampleKind) -> Bool { kind != .radar || host?.counts(kind) ?? true }

  package var silence: Silence? { host?.silence }

  /// The number of actions that wait to be done, including reads for captures.
  package var waitingActions: Int { actions?.count ?? 0 }

  package var requiredSubscriptions: [Endpoint] { actions?.requiredSubscriptions ?? [] }

  private var now: MonotonicTime { services.loop.now }
}

/// What all readers of a daemon share.
package struct ReaderServices {
  let plugins: PluginShelf
  let loop: EventLoop
  let captures: Captures
  let log: Log
  /// Unowned by readers, which end before it.
  let processes: (any ProcessPorts)?

  package init(
    plugins: PluginShelf, loop: EventLoop, captures: Captures, log: Log, processes: (any ProcessPorts)? = nil
  ) {
    self.plugins = plugins
    self.processes = processes
    self.loop = loop
    self.captures = captures
    self.log = log
  }
}

// MARK: The link

extension SensorReader {
  /// The link to the sensor is open. Returns false if no plugin supports what it offers.
  package func open(_ link: any Link, _ endpoints: [Endpoint]) -> Bool {
    services.captures.record(.connected, of: id, at: now)
    let offered = Set(endpoints)
    let plugins = plugins(for: offered)
    guard !plugins.isEmpty else { return false }
    self.offered = offered
    // The same plugins keep their counters across the gap. Different plugins mean other firmware or
    // the first connection.
    if host == nil || infos.map(\.id) != plugins.map(\.info.id) { use(plugins) }
    commands = infos.commands(for: offered)
    ports.linkChanged(isUp: true)
    batch.removeAll()
    host?.connected(at: now, into: &batch)
    actions = ActionQueue(on: link, offered: offered, infos: infos, owner: self)
    actions?.add(batch)
    scheduleTick()
    return true
  }

  private func plugins(for offered: Set<Endpoint>) -> [Plugin] {
    let device = DeviceDescription(name: deviceName, services: offered.map(\.service))
    return services.plugins.registry.recognize(device, usedWith: known) { $0.canUse(offered) }
  }

  private func use(_ plugins: [Plugin]) {
    host = services.plugins.registry.host(plugins, settings: settings, name: deviceName)
    infos = plugins.map(\.info)
    known = infos.map(\.id)
    openPorts()
  }

  /// The daemon is about to end the link: what the plugins write before.
  package func lastWrites() -> [LinkWrite] {
    guard let offered, host != nil else { return writesOfFormer }
    batch.removeAll()
    host?.disconnecting(into: &batch)
    let writes = batch.writes.filter { offered.contains($0.endpoint) }
    for write in writes {
      services.captures.record(.value(.write, write.endpoint.characteristic, write.value), of: id, at: now)
    }
    return writes
  }

  /// The link is gone. `wasOpen`: there was one.
  package func close(wasOpen: Bool) {
    tickDeadline?.cancel()
    endCommand(.failure(Refusal(.notConnected, "the connection was lost")))
    actions?.discard()
    (actions, offered, writesOfFormer) = (nil, nil, [])
    early.removeAll()
    areCompanionsRead = false
    host?.disconnected()
    if wasOpen { ports.linkChanged(isUp: false) }
    if wasOpen { services.captures.record(.disconnected, of: id, at: now) }
  }

  /// Handles the values of an advert. Returns false if the sensor sends none in adverts.
  package func broadcast(_ advert: Advert) -> Bool {
    guard isBroadcaster || recognizesBroadcaster(advert) else { return false }
    for value in advert.values where infos.contains(where: { $0.knows(PacketSource(value.origin, sender: sender)) }) {
      decode(value.bytes.span, from: value.origin, isLive: true)
    }
    return true
  }

  /// All its values come in adverts.
  package var isBroadcaster: Bool { !infos.isEmpty && infos.allSatisfy(\.isBroadcast) }

  private func recognizesBroadcaster(_ advert: Advert) -> Bool {
    let plugins = services.plugins.registry.recognize(DeviceDescription(advert), usedWith: known)
    guard !plugins.isEmpty, plugins.allSatisfy(\.info.isBroadcast) else { return false }
    use(plugins)
    owner?.readerLearned(self)
    return true
  }
}

// MARK: Other plugins

extension SensorReader {
  /// The ids of plugins that it had last, and that the program no longer has.
  package var missingPlugins: [String] { services.plugins.registry.missing(of: known) }

  /// The plugins of the program were read again. Those that did not change keep their counters, and
  /// new ones begin on the open link. Returns false if the sensor was in use, and nothing supports it
  /// any more.
  package func followPlugins() -> Bool {
    guard host != nil else { return true }
    let wasInUse = offered != nil || isBroadcaster
    let next = offered.map { plugins(for: $0) } ?? services.plugins.registry.plugins(continuing: known)
    guard next.contains(where: { !$0.info.isCompanion }) else {
      forgetPlugins()
      return !wasInUse
    }
    guard !next.elementsEqual(infos, by: { $0.info === $1 }) else { return true }
    endCommand(.failure(Refusal(.notConnected, "its plugins were loaded again")))
    batch.removeAll()
    host?.change(to: next, linkedAt: offered == nil ? nil : now, into: &batch)
    knownFacts.keep { host?.hasFact($0) ?? false }
    infos = next.map(\.info)
    known = infos.map(\.id)
    openPorts()
    if let offered { commands = infos.commands(for: offered) }
    actions?.follow(infos)
    actions?.add(batch)
    scheduleTick()
    owner?.readerLearned(self)
    return true
  }

  private func forgetPlugins() {
    endCommand(.failure(Refusal(.notConnected, "its plugin was removed")))
    writesOfFormer = lastWrites()
    (host, infos, commands, knownFacts) = (nil, [], nil, KnownFacts())
    ports.close()
  }
}

// MARK: Packets

extension SensorReader {
  package func received(_ value: Span<UInt8>, from endpoint: Endpoint, indicated: Bool) {
    decode(
      value,
      from: indicated
        ? .indicated(service: endpoint.service, characteristic: endpoint.characteristic)
        : .notified(service: endpoint.service, characteristic: endpoint.characteristic),
      isLive: true)
  }

  /// `isLive`: the sensor sent the value by itself.
  private func decode(_ value: Span<UInt8>, from origin: PacketSource.Origin, isLive: Bool) {
    let time = now
    let source = PacketSource(origin, sender: sender)
    services.captures.record(value, from: origin, of: id, at: time)
    batch.removeAll()
    do throws(DecodeError) {
      let isOfSensor = try host?.decode(value, from: source, at: time, into: &batch)
      if isLive, isOfSensor == true { owner?.reader(self, understoodPacketFrom: source.characteristic) }
    } catch {
      services.log.debug(
        "\(id): refused \(value.count) bytes: \(error.reason.rawValue) at \(error.offset)", .sensor(id))
    }
    if publish(at: time) == .early, actions != nil { early.keep(value, from: origin, at: time) }
    if !batch.actions.isEmpty {
      if !ports.isEmpty { ports.handOver(batch, from: origin, at: time) }
      actions?.add(batch, forCommand: isWritingCommand)
    }
    scheduleTick()
    if !early.isEmpty || areCompanionsRead { finishPacket() }
  }

  /// `early`: the batch had samples that must wait for the first value.
  private enum Publishing { case done, early }

  @discardableResult
  private func publish(at time: MonotonicTime) -> Publishing {
    guard let owner else { return .done }
    var isPublishing = owner.isPublishing(self)
    if !isPublishing, infos.hasOwnValue(in: batch) {
      owner.readerFoundValue(self)
      isPublishing = owner.isPublishing(self)
    }
    var isNews = false
    var outcome = Publishing.done
    for index in batch.entryIndices {
      let entry = batch.entry(index)
      switch entry.kind {
      case .sample(let kind):
        if kind == .battery { isNews = knownFacts.recordBattery(entry, of: batch) || isNews }
        guard !entry.isHidden else { continue }
        if isPublishing {
          owner.reader(self, read: entry, of: batch, kind, at: time)
        } else if !infos.areFor(kind) {
          outcome = .early
        }
      case .fact where entry.isHidden: break
      case .fact: isNews = knownFacts.record(entry, of: batch) || isNews
      case .answer: answered(entry)
      case .event(let name) where isPublishing: owner.reader(self, readEvent: name, entry, of: batch, at: time)
      case .event: break
      }
    }
    if isNews { reportNews() }
    return outcome
  }

  private func scheduleTick() {
    guard let next = host?.deadline else { return }
    guard let tickDeadline else {
      tickDeadline = services.loop.schedule(at: next) { [weak self] in self?.tick() }
      return
    }
    if !tickDeadline.isPending || tickDeadline.time != next { tickDeadline.set(to: next) }
  }

  private func tick() {
    batch.removeAll()
    host?.tick(at: now, into: &batch)
    publish(at: now)
    actions?.add(batch)
    scheduleTick()
  }
}

// MARK: Companions

extension SensorReader {
  private func finishPacket() {
    publishEarly()
    if areCompanionsRead { readCompanions() }
  }

  /// Captures have these packets already.
  private func publishEarly() {
    guard let owner, owner.isPublishing(self) else { return }
    for packet in early.popAll() {
      batch.removeAll()
      _ = try? host?.decode(
        packet.bytes.span, from: PacketSource(packet.origin, sender: sender), at: packet.time, into: &batch)
      publish(at: packet.time)
    }
  }

  /// Reads again, once the packet in hand is done, what was read before its samples could be
  /// published.
  package func readCompanionsAgain() { areCompanionsRead = true }

  private func readCompanions() {
    areCompanionsRead = false
    batch.removeAll()
    batch.readCompanions(of: infos)
    actions?.add(batch)
  }
}

// MARK: Actions

extension SensorReader: ActionQueueOwner {
  func actions(_ queue: ActionQueue, read value: Span<UInt8>, from endpoint: Endpoint) {
    guard queue === actions else { return }
    decode(value, from: .read(service: endpoint.service, characteristic: endpoint.characteristic), isLive: false)
  }

  func actions(_ queue: ActionQueue, wrote value: [UInt8], to endpoint: Endpoint) {
    guard queue === actions else { return }
    services.captures.record(.value(.write, endpoint.characteristic, value), of: id, at: now)
  }

  func actions(_ queue: ActionQueue, endedCommandWith failure: LinkFailure?) {
    if queue === actions { wroteCommand(failure) }
  }

  func actions(_ queue: ActionQueue, failed failure: LinkFailure) {
    if queue === actions { owner?.reader(self, failed: failure) }
  }

  func actionsAreDone(_ queue: ActionQueue) {
    if queue === actions, hasNews { reportNews() }
  }

  func requiredActionsAreDone(_ queue: ActionQueue) {
    guard queue === actions else { return }
    hasNews = true
    owner?.readerIsReady(self)
  }
}

// MARK: Commands

extension SensorReader {
  /// Calls `completion` once, unless it throws.
  package func command(
    _ command: Command, _ completion: @escaping (Result<JSONValue, Refusal>) -> Void
  ) throws(Refusal) {
    guard let actions, var trial = host else { throw Refusal(.notConnected, "it is not connected") }
    if let other = commandUnderWay { throw Refusal(.busy, "it is busy with \(other.name)") }
    batch.removeAll()
    let expectsAnswer: Bool
    do throws(CommandError) {
      expectsAnswer = try trial.command(command, at: now, into: &batch)
    } catch {
      throw error.refusal(of: command, offered: offeredCommands)
    }
    guard actions.canDoAll(of: batch) else {
      throw Refusal(.notSupported, "this sensor does not support \(command.name): \(offeredCommands)")
    }
    let process = try ports.process(forCommandIn: batch)
    host = trial
    commandUnderWay = CommandUnderWay(
      name: command.name, completion: completion, expectsAnswer: expectsAnswer, process: process?.plugin)
    if let process { process.port.send(command) } else { actions.add(batch, forCommand: true) }
    scheduleTick()
  }

  /// Whether actions belong to a command.
  private var isWritingCommand: Bool { commandUnderWay.map { $0.process == nil } ?? false }

  /// The commands that the characteristics allow and the facts do not rule out; nil until the first
  /// connection.
  package var supportedCommands: [CommandInfo]? {
    commands?.filter { $0.requirement?.isMet(by: facts) ?? true }
  }

  private var offeredCommands: String {
    let names = (supportedCommands ?? infos.flatMap(\.offers)).map(\.name)
    return names.isEmpty ? "it supports no commands" : "it supports \(names.joined(separator: ", "))"
  }

  /// The sensor answered, or its plugin timed out.
  private func answered(_ entry: Batch.Entry) {
    guard let commandUnderWay, commandUnderWay.expectsAnswer || commandUnderWay.process != nil else { return }
    let members = batch.members(of: entry)
    if members.contains(JSONValue.Member(Field.result.name.description, "timeout")) {
      endCommand(.failure(Refusal(.timeout, "it did not answer")))
    } else {
      endCommand(.success(.object(members)))
    }
  }

  /// The bytes of the command were written, or writing failed.
  private func wroteCommand(_ failure: LinkFailure?) {
    guard let commandUnderWay else { return }
    if let failure {
      host?.commandFailed()
      endCommand(.failure(Refusal(.notSupported, "it rejects the command: \(failure.detail)")))
    } else if !commandUnderWay.expectsAnswer {
      endCommand(.success(.object([])))
    }
  }

  private func endCommand(_ outcome: Result<JSONValue, Refusal>) {
    guard let command = commandUnderWay else { return }
    commandUnderWay = nil
    command.completion(outcome)
  }
}

// MARK: Programs that decode

extension SensorReader {
  private func openPorts() {
    ports.follow(infos, isLinked: offered != nil) { info in
      guard let host else { return nil }
      return services.processes?.open(info, for: self, host.settings)
    }
  }

  /// Why no program decodes what the sensor is for, if that is so.
  package var obstacle: StateReason? { ports.isEmpty ? nil : ports.obstacle(for: infos) }

  package var programs: [ProgramRecord] { ports.records }

  /// The program of a plugin has come or gone.
  package func process(of plugin: SensorInfo, changedTo obstacle: StateReason?) {
    if obstacle != nil { processFailedCommand(of: plugin, OpenPorts.noProgram) }
    owner?.readerChangedProcess(self)
  }

  package func processMissedPacket() { owner?.readerMissedAnswer(self) }

  /// The program of a plugin answered a packet that arrived at `time`, or without `origin` a tick.
  package func process(
    of plugin: SensorInfo, answered origin: PacketSource.Origin?, at time: MonotonicTime, refusal: DecodeError? = nil,
    with answer: inout Batch
  ) {
    swap(&batch, &answer)
    defer { swap(&batch, &answer) }
    if let refusal {
      services.log.debug("\(id): \(plugin.id) refused: \(refusal.reason.rawValue) at \(refusal.offset)", .sensor(id))
    } else if host?.accept(&batch, of: plugin, at: time) == true, let origin, origin.isSentByItself {
      owner?.reader(self, understoodPacketFrom: PacketSource(origin, sender: sender).characteristic)
    }
    publish(at: time)
    if !batch.actions.isEmpty { actions?.add(batch, forCommand: isWritingCommand) }
    scheduleTick()
    if !early.isEmpty || areCompanionsRead { finishPacket() }
    if origin != nil { owner?.readerEndedPacket(self) }
  }

  /// The program made the bytes of a command, and may have answered it too.
  package func processAnsweredCommand(of plugin: SensorInfo, with answer: inout Batch) {
    guard commandUnderWay?.process === plugin else { return }
    swap(&batch, &answer)
    defer { swap(&batch, &answer) }
    _ = host?.accept(&batch, of: plugin, at: now)
    publish(at: now)
    commandUnderWay?.process = nil
    if batch.actions.isEmpty { return wroteCommand(nil) }
    actions?.add(batch, forCommand: isWritingCommand)
  }

  /// Ends the command whose bytes the program of the plugin should have made, if there is one.
  package func processFailedCommand(of plugin: SensorInfo, _ refusal: Refusal) {
    guard commandUnderWay?.process === plugin else { return }
    host?.commandFailed()
    endCommand(.failure(refusal))
  }
}

// MARK: What it learns

extension SensorReader {
  /// Reports the results of several reads after a connect together, once they are done.
  private func reportNews() {
    hasNews = actions?.isActing == true
    if !hasNews { owner?.readerLearned(self) }
  }
}

// MARK: Captures

extension SensorReader {
  /// A capture can begin during a connection, so the characteristics that a decoder needs are read
  /// again.
  package func begins(_ capture: any CaptureTaker) {
    guard let actions else { return }
    capture.record(RawRecord(sensor: id, time: now, event: .connected))
    let reads = infos.flatMap(\.characteristics).filter(\.isRead)
    actions.read(reads.map { Endpoint(service: $0.service, characteristic: $0.characteristic) }, for: capture)
  }

  /// Drops the reads that only this capture waited for.
  package func ends(_ capture: any CaptureTaker) {
    actions?.endReads(for: capture)
  }

  package func capture(_ advert: Advert) { services.captures.record(advert, of: id, at: now) }
}
