// Dispatches requests to methods. SocketServer has already checked that the method is allowed on
// its socket.

import JSON
import Wire

extension Daemon {
  func answer(_ request: Request, from client: Client) {
    do throws(ErrorRecord) {
      try carryOut(try request.call(), request.id, client)
    } catch {
      client.send(error)
    }
  }

  private func carryOut(_ call: Call, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    switch call {
    case .subscribe(let filter): try subscribe(client, to: filter, id)
    case .unsubscribe:
      client.unsubscribe()
      reply(to: id, client)
    case .poll(let filter): try poll(filter, id, client)
    case .status: reply(to: id, client, fitting: writeStatus)
    case .sensors: reply(to: id, client, fitting: writeSensors)
    case .ping: reply(to: id, client)
    case .scan(let parameters):
      try whenRadioIsKnown(id, client) { client throws(ErrorRecord) in try self.scan(parameters, id, client) }
    case .pair(let parameters):
      try whenRadioIsKnown(id, client) { client throws(ErrorRecord) in try self.pair(parameters, id, client) }
    case .answer(let parameters): try answer(parameters, id, client)
    case .cancel: cancel(id, client)
    case .forget(let sensor): try forget(sensor, id, client)
    case .enable(let sensor): try enable(sensor, true, id, client)
    case .disable(let parameters) where parameters.whileConnected: try hold(parameters, id, client)
    case .disable(let parameters): try enable(parameters.sensor, false, id, client)
    case .rename(let sensor, let name): try rename(sensor, to: name, id, client)
    case .set(let parameters): try set(parameters, id, client)
    case .command(let parameters): try command(parameters, id, client)
    case .capture(let sensors): try capture(sensors, id, client)
    case .replay(let parameters): try replay(parameters, id, client)
    case .ride(let parameters):
      let hasChanged = ride.act(parameters)
      reply(to: id, client) { writer in
        writer.beginObject()
        writer.member("changed", hasChanged)
        writer.endObject()
      }
    case .laps: reply(to: id, client, ride.writeLaps)
    case .rideSettings(let changes): try rideSettings(changes, id, client)
    case .rider(let changes): try rider(changes, id, client)
    case .export: try export(id, client)
    case .import(let backup): try importBackup(backup, id, client)
    case .bike(let parameters): try bike(parameters, id, client)
    }
  }

  func reply(to id: RequestID, _ client: Client, _ result: ((inout JSONWriter) -> Void)? = nil) {
    var writer = JSONWriter()
    if let result { writer.replyLine(id, result) } else { writer.replyLine(id) }
    guard writer.fitsLine else {
      let text = "the answer is longer than a line, \(LineSplitter.protocolLimit) bytes"
      return client.send(ErrorRecord(id: id, reached: .line, text))
    }
    client.send(line: writer.bytes)
  }

  /// Omits the facts of the sensors if the reply would exceed the line limit.
  private func reply(
    to id: RequestID, _ client: Client, fitting result: @escaping (inout JSONWriter, _ withFacts: Bool) -> Void
  ) {
    var writer = JSONWriter()
    writer.replyLine(id) { result(&$0, true) }
    guard !writer.fitsLine else { return client.send(line: writer.bytes) }
    reply(to: id, client) { result(&$0, false) }
  }

  func requireSensor(_ name: String, _ id: RequestID) throws(ErrorRecord) -> PairedSensor {
    guard let sensor = roster.sensor(name) else {
      throw ErrorRecord(id: id, .noSuchSensor, "no sensor is called \(name.prefix(80))")
    }
    return sensor
  }

  func requireIdle(_ client: Client, _ id: RequestID) throws(ErrorRecord) {
    guard client.operation != nil else { return }
    throw ErrorRecord(
      id: id, .busy, "this connection has a scan, a pairing or a capture under way: cancel it first")
  }

  /// The limit keeps the list of sensors within one line.
  func requireCapacity(_ id: RequestID) throws(ErrorRecord) {
    guard roster.sensors.count >= Roster.capacity else { return }
    throw ErrorRecord(
      id: id, reached: .sensors, "\(Roster.capacity) sensors are paired, which is the limit: forget one first")
  }

  func session(of sensor: PairedSensor) -> SensorSession? {
    sessions.first { $0.id == sensor.id }
  }
}

extension JSONWriter {
  fileprivate var fitsLine: Bool { bytes.count <= LineSplitter.protocolLimit + 1 }
}
