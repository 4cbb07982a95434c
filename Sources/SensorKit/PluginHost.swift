// The plugins of one sensor. Each packet goes to the plugins that know its characteristic or
// advertisement. A rejected packet leaves no traces, and each kind is published by one plugin at a
// time. Live sessions and captures use the same code.

public import Time
public import Vocabulary

public struct PluginHost {
  public private(set) var infos: [SensorInfo]
  private var plugins: [any SensorDecoder]
  private var routes: Routes
  private var kinds = KindClaims()
  /// The plugins that share a kind with another one of this sensor.
  private var rivals: Rivals
  private var hasUncountedRadar: Bool
  private var facts = FactClaims()
  /// The user's settings; plugins get them together with the device's quirks.
  public private(set) var settings: SensorSettings
  private let quirks: [Quirk]
  private var identity: DeviceIdentity

  /// Of two live plugins with the same kind, the first one publishes. `name` is the advertised
  /// name, if known.
  public init(_ plugins: [Plugin], settings: SensorSettings, quirks: [Quirk] = [], name: String = "") {
    var settings = settings
    identity = DeviceIdentity(name: name)
    settings.quirks = quirks.effects(for: identity)
    self.settings = settings
    self.quirks = quirks
    infos = plugins.map(\.info)
    self.plugins = plugins.map { $0.make(settings) }
    routes = Routes(of: infos)
    rivals = Rivals(among: infos)
    hasUncountedRadar = infos.contains { !$0.countsForWarnings && $0.kinds.contains(.radar) }
  }

  public var deadline: MonotonicTime? {
    var earliest: MonotonicTime?
    for plugin in plugins {
      if let next = plugin.deadline, next < earliest ?? next + .seconds(1) { earliest = next }
    }
    return earliest
  }

  /// The strictest limits of all plugins.
  public var silence: Silence {
    var staleAfter: Duration?
    var reconnectAfter: Duration?
    for plugin in plugins {
      let silence = plugin.silence
      if let limit = silence.staleAfter { staleAfter = min(staleAfter ?? limit, limit) }
      if let limit = silence.reconnectAfter { reconnectAfter = min(reconnectAfter ?? limit, limit) }
    }
    return Silence(staleAfter: staleAfter, reconnectAfter: reconnectAfter)
  }

  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    for index in plugins.indices { plugins[index].connected(at: time, into: &batch) }
  }

  /// Continues with other plugins. Those that stay keep their state. `linkedAt`: there is a link, on
  /// which the new ones request what they need.
  public mutating func change(to next: [Plugin], linkedAt time: MonotonicTime?, into batch: inout Batch) {
    let (former, decoders) = (infos, plugins)
    infos = next.map(\.info)
    if time != nil {
      for index in plugins.indices where !infos.contains(where: { $0 === former[index] }) {
        plugins[index].disconnecting(into: &batch)
      }
    }
    let places = next.map { plugin in former.firstIndex { $0 === plugin.info } }
    plugins = zip(next, places).map { plugin, place in place.map { decoders[$0] } ?? plugin.make(settings) }
    routes = Routes(of: infos)
    rivals = Rivals(among: infos)
    hasUncountedRadar = infos.contains { !$0.countsForWarnings && $0.kinds.contains(.radar) }
    kinds.renumber { former in places.firstIndex(of: former) }
    facts.renumber { former in places.firstIndex(of: former) }
    guard let time else { return }
    for index in plugins.indices where places[index] == nil { plugins[index].connected(at: time, into: &batch) }
  }

  /// Whether one of its plugins reported the fact.
  public func hasFact(_ name: String) -> Bool { facts.contain(name) }

  public mutating func disconnecting(into batch: inout Batch) {
    for index in plugins.indices { plugins[index].disconnecting(into: &batch) }
  }

  public mutating func disconnected() {
    for index in plugins.indices { plugins[index].disconnected() }
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    let effects = self.settings.quirks
    self.settings = settings
    self.settings.quirks = effects
    for index in plugins.indices { plugins[index].settingsChanged(self.settings) }
  }

  /// The advertised name changed.
  public mutating func nameChanged(_ name: String) {
    identity.name = name
    findQuirks()
  }

  /// Passes a packet to every plugin that knows its source. Returns whether a plugin that is not a
  /// companion accepted it, and decoded it itself. Throws the first error if none accepted it. Empty
  /// packets are rejected for all plugins.
  @discardableResult
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) -> Bool {
    guard let plugin = routes.onlyPlugin(for: source) else {
      return try decodeByAll(value, from: source, at: time, into: &batch)
    }
    guard !value.isEmpty else { throw DecodeError(.empty, at: 0) }
    try decode(value, by: plugin, from: source, at: time, into: &batch)
    return infos[plugin].provesLife
  }

  @inline(never)
  private mutating func decodeByAll(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) -> Bool {
    var refusal: DecodeError?
    var isAccepted = false
    var isOfSensor = false
    for index in plugins.indices where infos[index].knows(source) {
      guard !value.isEmpty else { throw DecodeError(.empty, at: 0) }
      do throws(DecodeError) {
        try decode(value, by: index, from: source, at: time, into: &batch)
        isAccepted = true
        isOfSensor = isOfSensor || infos[index].provesLife
      } catch {
        refusal = refusal ?? error
      }
    }
    if let refusal, !isAccepted { throw refusal }
    return isOfSensor
  }

  @inline(__always)
  private mutating func decode(
    _ value: Span<UInt8>, by plugin: Int, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let mark = batch.mark
    do throws(DecodeError) {
      try plugins[plugin].decode(value, from: source, at: time, into: &batch)
      if batch.overflowed { throw DecodeError(.outOfRange, at: value.count) }
    } catch {
      batch.rollback(to: mark)
      throw error
    }
    // Most packets have no content that several plugins produce.
    guard batch.factCount(from: mark) != 0 || rivals.contains(plugin) else { return }
    arbitrate(entriesFrom: mark, of: plugin, at: time, in: &batch)
  }

  /// Takes what the program of a plugin published: hides what another plugin publishes. Returns whether
  /// this shows that the sensor works.
  public mutating func accept(_ batch: inout Batch, of info: SensorInfo, at time: MonotonicTime) -> Bool {
    guard let plugin = infos.firstIndex(where: { $0 === info }) else {
      batch.removeAll()
      return false
    }
    arbitrate(entriesFrom: .start, of: plugin, at: time, in: &batch)
    if batch.entryIndices.contains(where: { batch.form(of: $0) == .answer }) { plugins[plugin].answered() }
    return !info.isCompanion
  }

  /// The service of a characteristic, for captures, which do not record it. Prefers one among
  /// `services`, else the first in the order of the registry.
  public func service(of characteristic: BluetoothUUID, among services: [BluetoothUUID]) -> BluetoothUUID? {
    let uses = infos.lazy.flatMap(\.characteristics).filter { $0.characteristic == characteristic }
    return (uses.first { services.contains($0.service) } ?? uses.first)?.service
  }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    for index in plugins.indices {
      guard let deadline = plugins[index].deadline, deadline <= time else { continue }
      let mark = batch.mark
      plugins[index].tick(at: time, into: &batch)
      arbitrate(entriesFrom: mark, of: index, at: time, in: &batch)
    }
  }

  /// Whether the ride may use samples of that kind: those of a radar only if it counts for warnings.
  public func counts(_ kind: SampleKind) -> Bool {
    guard hasUncountedRadar, kind == .radar else { return true }
    if let publisher = kinds.selected(for: kind) { return infos[publisher].countsForWarnings }
    return infos.first { $0.kinds.contains(kind) }?.countsForWarnings ?? true
  }

  /// Passes a command to the first plugin that offers it. Returns true if the sensor will respond
  /// in a later packet.
  @discardableResult
  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) -> Bool {
    guard let index = infos.firstIndex(where: { $0.commands.contains(command.name) }) else {
      throw .notSupported
    }
    let mark = batch.mark
    do throws(CommandError) {
      try plugins[index].command(command, at: time, into: &batch)
    } catch {
      batch.rollback(to: mark)
      throw error
    }
    if batch.overflowed {
      batch.rollback(to: mark)
      throw .badValue
    }
    return plugins[index].awaitsAnswer
  }

  /// The bytes of a command could not be written, so there will be no response.
  public mutating func commandFailed() {
    for index in plugins.indices { plugins[index].commandFailed() }
  }
}

extension PluginHost {
  /// Hides samples of kinds that another live plugin of this sensor publishes, so that no speed
  /// appears twice. Also hides facts for which another plugin has precedence.
  private mutating func arbitrate(
    entriesFrom mark: Batch.Mark, of plugin: Int, at time: MonotonicTime, in batch: inout Batch
  ) {
    for entry in batch.entryIndices(from: mark) {
      switch batch.form(of: entry) {
      case .sample:
        guard rivals.contains(plugin) else { continue }
        if !isPrimary(plugin, for: batch.kind(of: entry), at: time) { batch.hide(entry: entry) }
      case .fact:
        if !believes(plugin, entry, of: batch) { batch.hide(entry: entry) }
      case .answer, .event: continue
      }
    }
  }

  private mutating func believes(_ plugin: Int, _ entry: Int, of batch: borrowing Batch) -> Bool {
    guard let fact = batch.factField(of: entry) else { return true }
    if fact.form == .text { identify(fact, of: batch) }
    return facts.isBelieved(plugin, fact.field, flag: fact.form == .flag ? fact.bits != 0 : nil)
  }

  /// A plugin publishes a kind until it is stale; then the first live one in the order of the
  /// registry takes over.
  private mutating func isPrimary(_ plugin: Int, for kind: SampleKind, at time: MonotonicTime) -> Bool {
    let speaker = kinds.claim(kind, by: plugin, at: time)
    if speaker == plugin { return true }
    guard !isLive(speaker, for: kind, at: time) else { return false }
    let next = plugins.indices.first { isLive($0, for: kind, at: time) } ?? plugin
    kinds.promote(next, for: kind)
    return next == plugin
  }

  private func isLive(_ plugin: Int, for kind: SampleKind, at time: MonotonicTime) -> Bool {
    guard let last = kinds.lastClaim(of: kind, by: plugin) else { return false }
    return last + (plugins[plugin].silence.staleAfter ?? .seconds(900)) >= time
  }
}

// MARK: Quirks of the device, found again when its device information is read

extension PluginHost {
  private mutating func identify(_ stored: StoredField, of batch: borrowing Batch) {
    let fact = batch.read(stored)
    guard fact.field == .manufacturer || fact.field == .model, case .text(let range) = fact.value else { return }
    // Read at every connection, and mostly unchanged.
    let known = fact.field == .manufacturer ? identity.manufacturer : identity.model
    guard !known.utf8.elementsEqual(batch.text(range)) else { return }
    let text = String(decoding: batch.text(range), as: UTF8.self)
    if fact.field == .manufacturer { identity.manufacturer = text } else { identity.model = text }
    findQuirks()
  }

  /// Notifies the plugins only if something changed.
  private mutating func findQuirks() {
    let effects = quirks.effects(for: identity)
    guard effects != settings.quirks else { return }
    settings.quirks = effects
    for index in plugins.indices { plugins[index].settingsChanged(settings) }
  }
}

extension SensorInfo {
  /// Whether this plugin decodes packets from that source.
  public func knows(_ source: PacketSource) -> Bool {
    switch source.origin {
    case .notified(let service, let characteristic), .indicated(let service, let characteristic),
      .read(let service, let characteristic):
      characteristics.contains { $0.characteristic == characteristic && $0.service == service }
    case .manufacturer(let company):
      adverts.contains { pattern in
        (pattern.carrier == .manufacturer(company) || pattern.carrier == .anyManufacturer)
          && pattern.accepts(name: source.sender.name)
      }
    case .serviceData(let uuid):
      adverts.contains { $0.carrier == .serviceData(uuid) && $0.accepts(name: source.sender.name) }
    }
  }
}

extension [Quirk] {
  fileprivate func effects(for device: DeviceIdentity) -> [QuirkEffect] {
    filter { $0.concerns(device) }.map(\.effect)
  }
}
