// Dispatches requests to methods.

import Linux
import Ride
package import Serving
package import Wire

extension Daemon: RequestHandler {
  package func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    try require(asker.client, mayAsk: request)
    let call = try request.call()
    guard let client = asker.client else { return .later }
    return try carryOut(call, of: client, asker)
  }

  package func ended(_ client: Client) { releaseHolds(by: client) }

  /// Checked before the parameters, so that `denied` is the answer to every request that is not
  /// allowed on the socket.
  private func require(_ client: Client?, mayAsk request: Request) throws(Refusal) {
    guard let client, client.role == .metrics, try Method(request.method).needsControl else { return }
    guard request.isPersonalReading else {
      throw Refusal(.denied, "\(request.method) is only available on control.sock")
    }
    guard server?.isTrusted(client) == true else {
      let text = "\(request.method) is only available to root and to members of the group \(SocketServer.group)"
      throw Refusal(.denied, text)
    }
  }

  private func carryOut(_ call: Call, of client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    switch call {
    case .subscribe(let filter): return try subscribe(client, to: filter)
    case .unsubscribe:
      client.unsubscribe()
      return .done
    case .poll(let filter): return try poll(filter)
    case .status:
      return .fitting({ self.writeStatus(into: &$0) }, brief: { self.writeStatus(into: &$0, withFacts: false) })
    case .sensors:
      return .fitting({ self.writeSensors(into: &$0) }, brief: { self.writeSensors(into: &$0, withFacts: false) })
    case .ping: return .done
    case .scan(let parameters):
      return try whenRadioIsKnown(client, asker) { client throws(Refusal) in try self.scan(parameters, client) }
    case .pair(let parameters):
      return try whenRadioIsKnown(client, asker) { client throws(Refusal) in
        try self.pair(parameters, client, asker)
      }
    case .answer(let parameters): return try answer(parameters, client)
    case .cancel:
      client.operation?.cancel()
      return .done
    case .forget(let sensor): return try forget(sensor)
    case .enable(let sensor): return try enable(sensor, true)
    case .disable(let parameters) where parameters.whileConnected: return try hold(parameters, client)
    case .disable(let parameters): return try enable(parameters.sensor, false)
    case .rename(let sensor, let name): return try rename(sensor, to: name)
    case .set(let parameters): return try set(parameters)
    case .command(let parameters): return try command(parameters, client, asker)
    case .capture(let sensors): return try capture(sensors, client)
    case .replay(let parameters): return try replay(parameters)
    case .ride(let parameters):
      let hasChanged = ride.act(parameters)
      return .result { writer in
        writer.beginObject()
        writer.member("changed", hasChanged)
        writer.endObject()
      }
    case .laps: return .result(ride.writeLaps)
    case .rideSettings(let changes): return try rideSettings(changes)
    case .rider(let changes): return try rider(changes)
    case .export: return try export()
    case .import(let backup): return try importBackup(backup)
    case .bike(let parameters): return try bike(parameters)
    }
  }

  func requireSensor(_ name: String) throws(Refusal) -> PairedSensor {
    guard let sensor = roster.sensor(name) else {
      throw Refusal(.noSuchSensor, "no sensor is called \(name.prefix(80))")
    }
    return sensor
  }

  func requireIdle(_ client: Client) throws(Refusal) {
    guard client.operation != nil else { return }
    throw Refusal(.busy, "this connection has a scan, a pairing or a capture under way: cancel it first")
  }

  /// The limit keeps the list of sensors within one line.
  func requireCapacity() throws(Refusal) {
    guard roster.sensors.count >= Roster.capacity else { return }
    throw Refusal(
      reached: .sensors, "\(Roster.capacity) sensors are paired, which is the limit: forget one first")
  }

  /// Saves a change, or refuses the request.
  func saving<Value>(_ save: () throws(SystemError) -> Value) throws(Refusal) -> Value {
    do throws(SystemError) {
      return try save()
    } catch {
      throw Refusal(.internal, "cannot save the change: \(error)")
    }
  }

  func session(of sensor: PairedSensor) -> SensorSession? {
    sessions.first { $0.id == sensor.id }
  }
}
