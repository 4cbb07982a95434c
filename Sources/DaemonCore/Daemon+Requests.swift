// What each request does. The socket it came by has been looked at already; parameters are refused here.

import EventLoop
import Linux
import SensorKit
import Sensors
import Wire

extension Daemon {
  func answer(_ request: Request, from client: Client) {
    do throws(ErrorRecord) {
      switch try request.call() {
      case .subscribe(let filter): try subscribe(client, to: filter, request.id)
      case .unsubscribe:
        client.unsubscribe()
        reply(to: request.id, client)
      case .poll(let filter): try poll(filter, request.id, client)
      case .status: reply(to: request.id, client) { self.writeStatus(into: &$0) }
      case .sensors: reply(to: request.id, client) { self.writeSensors(into: &$0) }
      case .scan(let parameters):
        try whenRadioIsKnown(request.id, client) { client throws(ErrorRecord) in
          try self.scan(parameters, request.id, client)
        }
      case .cancel: cancel(request.id, client)
      case .pair(let parameters):
        try whenRadioIsKnown(request.id, client) { client throws(ErrorRecord) in
          try self.pair(parameters, request.id, client)
        }
      case .forget(let sensor): try forget(sensor, request.id, client)
      case .ping: reply(to: request.id, client)
      }
    } catch {
      client.send(error)
    }
  }

  private func reply(to id: RequestID, _ client: Client, _ result: ((inout JSONWriter) -> Void)? = nil) {
    var writer = JSONWriter()
    if let result { writer.replyLine(id, result) } else { writer.replyLine(id) }
    client.send(line: writer.bytes)
  }
}

// MARK: Listening

extension Daemon {
  /// Replies first, then shows the last of each, then what comes.
  private func subscribe(_ client: Client, to filter: Filter, _ id: RequestID) throws(ErrorRecord) {
    try check(filter, id)
    client.subscribe(filter)
    reply(to: id, client)
    guard filter.snapshot else { return }
    var writer = JSONWriter()
    for stream in publisher.lastSamples(filter) {
      stream.writeLast(into: &writer, now: publisher.now)
      writer.endLine()
    }
    client.send(line: writer.bytes)
  }

  private func poll(_ filter: Filter, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    try check(filter, id)
    reply(to: id, client) { writer in
      writer.beginObject()
      writer.member("records")
      writer.beginArray()
      for stream in self.publisher.lastSamples(filter) { stream.writeLast(into: &writer, now: self.publisher.now) }
      writer.endArray()
      writer.endObject()
    }
  }

  private func check(_ filter: Filter, _ id: RequestID) throws(ErrorRecord) {
    if let unknown = filter.sensors?.first(where: { $0 != "ride" && roster.sensor($0) == nil }) {
      throw ErrorRecord(id: id, .noSuchSensor, "no sensor is called \(unknown.prefix(80))")
    }
    let kinds = registry.flatMap { $0.info.kinds }.map(\.name)
    if let unknown = filter.kinds?.first(where: { !kinds.contains($0) }) {
      let known = kinds.joined(separator: ", ")
      throw ErrorRecord(id: id, .noSuchKind, "no sensor says \(unknown.prefix(80)); there are \(known)")
    }
  }
}

// MARK: Telling what there is

extension Daemon {
  private func writeSensors(into writer: inout JSONWriter) {
    writer.beginObject()
    writeSensorList(into: &writer)
    writer.endObject()
  }

  private func writeSensorList(into writer: inout JSONWriter) {
    writer.member("sensors")
    writer.beginArray()
    for sensor in roster.sensors { record(of: sensor).write(into: &writer) }
    writer.endArray()
  }

  private func writeStatus(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("daemon")
    writer.beginObject()
    writer.member("release", release)
    writer.member("pid", Int(ProcessEnvironment.processNumber))
    writer.member("uptime_s", Int((loop.now - startTime).components.seconds))
    if isSimulated { writer.member("simulated", true) }
    writer.endObject()
    writeBluetooth(into: &writer)
    writeSensorList(into: &writer)
    writer.member("counts")
    writer.beginObject()
    writer.member("clients", server?.clientCount)
    writer.member("sensors", roster.sensors.count)
    writer.member("streaming", sessions.count { $0.state == .streaming })
    writer.endObject()
    writer.member("versions")
    writer.beginObject()
    writer.member("cyclometer", release)
    writer.member("bluez", radio.bluezRelease)
    writer.member("kernel", ProcessEnvironment.kernelRelease)
    writer.endObject()
    writer.endObject()
  }

  private func writeBluetooth(into writer: inout JSONWriter) {
    writer.member("bluetooth")
    writer.beginObject()
    writer.member("reason", radio.condition.obstacle?.rawValue)
    writer.member("message", radio.condition.message)
    writer.endObject()
    writer.member("adapters")
    writer.beginArray()
    for adapter in radio.adapters {
      writer.record(AdapterRecord(adapter: adapter.name, address: adapter.address, state: adapter.state))
    }
    writer.endArray()
  }
}

// MARK: Looking and pairing

extension Daemon {
  private static let usualScan = 15.0
  private static let longestScan = 3600.0

  private func demandRadio(_ id: RequestID) throws(ErrorRecord) {
    guard radio.condition.obstacle != nil else { return }
    throw ErrorRecord(id: id, .adapterUnavailable, radio.condition.message)
  }

  func demandIdle(_ client: Client, _ id: RequestID) throws(ErrorRecord) {
    guard client.undertaking != nil else { return }
    throw ErrorRecord(id: id, .busy, "this connection has a scan or a pairing under way: cancel it first")
  }

  private func scan(_ parameters: ScanParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    try demandIdle(client, id)
    try demandRadio(id)
    let seconds = min(parameters.seconds ?? Self.usualScan, Self.longestScan)
    var made: Scan?
    let scan = Scan(
      for: client, seconds: seconds, showsAll: parameters.all, loop: loop,
      identify: { [weak self] in self?.identify($0) ?? ("", false) },
      onEnd: { [weak self] in
        self?.scans.removeAll { $0 === made }
        self?.reconsiderSearch()
        made = nil
      })
    made = scan
    client.undertaking = scan
    scans.append(scan)
    reply(to: id, client)
    for advert in radio.connectedSensors() { scan.heard(advert) }
    reconsiderSearch()
  }

  private func cancel(_ id: RequestID, _ client: Client) {
    switch client.undertaking {
    case let scan as Scan: scan.finish()
    case let pairing as Pairing: pairing.cancel()
    case let postponed as PostponedRequest: postponed.cancel()
    default: break
    }
    reply(to: id, client)
  }

  private func pair(_ parameters: PairParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    try demandIdle(client, id)
    guard let address = DeviceAddress(parameters.address) else {
      throw ErrorRecord(id: id, .badRequest, "address is six pairs of hex digits with colons between them")
    }
    if let sensor = roster.sensor(at: address) {
      throw ErrorRecord(id: id, .busy, "\(address) is paired already, as \(sensor.id)")
    }
    guard !pairings.contains(where: { $0.session.address == address }) else {
      throw ErrorRecord(id: id, .busy, "\(address) is being paired by another client")
    }
    try demandRadio(id)
    let known = radio.connectedSensors().first { $0.address == address }
    let pairing = makePairing(address, parameters, id, client)
    client.undertaking = pairing
    pairings.append(pairing)
    pairing.session.start()
    if let known { radio(heard: known) }
  }

  private func makePairing(
    _ address: DeviceAddress, _ parameters: PairParameters, _ id: RequestID, _ client: Client
  ) -> Pairing {
    let name = radio.name(of: address)
    let stranger = Advert(address: address, name: name, rssi: nil, services: [])
    let session = SensorSession(
      address: address, id: identify(stranger).id, name: parameters.name ?? name ?? address.text,
      settings: SensorSettings(role: parameters.role?.rawValue),
      environment: environment, delegate: self)
    session.isProvisional = true
    return Pairing(
      session, role: parameters.role, name: parameters.name, for: client, request: id, loop: loop,
      condition: { self.radio.condition }
    ) { [weak self] pairing, isPaired throws(SystemError) in try self?.ended(pairing, isPaired) }
  }

  private func ended(_ pairing: Pairing, _ isPaired: Bool) throws(SystemError) -> SensorRecord? {
    pairings.removeAll { $0 === pairing }
    let session = pairing.session
    guard isPaired else {
      session.discard()
      reconsiderSearch()
      return nil
    }
    let sensor = PairedSensor(
      id: session.id, address: session.address, name: session.name, plugins: session.infos.map(\.id),
      role: pairing.role)
    do throws(SystemError) {
      try roster.put(sensor)
    } catch {
      session.discard()
      throw error
    }
    session.isProvisional = false
    // Not from within the packet that made it a sensor.
    loop.schedule(after: .zero) { [weak session] in session?.readCompanions() }
    sessions.append(session)
    log.info("\(sensor.name) (\(sensor.address)) is paired as \(sensor.id)")
    let record = record(of: sensor)
    publisher.publish(SensorChangeRecord(.added, record))
    return record
  }

  private func forget(_ name: String, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    guard let sensor = roster.sensor(name) else {
      throw ErrorRecord(id: id, .noSuchSensor, "no sensor is called \(name.prefix(80))")
    }
    let record = record(of: sensor)
    do throws(SystemError) {
      try roster.remove(sensor.id)
    } catch {
      throw ErrorRecord(id: id, .internal, "it cannot be forgotten: \(error)")
    }
    sessions.first { $0.id == sensor.id }?.discard()
    sessions.removeAll { $0.id == sensor.id }
    publisher.forget(sensor.id)
    publisher.publish(SensorChangeRecord(.removed, record))
    log.info("\(sensor.name) (\(sensor.address)) is forgotten")
    reply(to: id, client) { record.write(into: &$0) }
    reconsiderSearch()
  }
}
