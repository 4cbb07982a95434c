// Dispatches requests to methods.

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

  package func ended(_ client: Client) { sensors.releaseHolds(by: client) }

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
    case .subscribe(let filter): return try listening.subscribe(client, to: filter)
    case .unsubscribe:
      client.unsubscribe()
      return .done
    case .poll(let filter): return try listening.poll(filter)
    case .status: return listening.status(clients: server?.clientCount)
    case .sensors: return listening.list()
    case .plugins(let id): return plugins.answer(id)
    case .ping: return .done
    case .scan(let parameters): return try pairing.scan(parameters, client, asker)
    case .pair(let parameters): return try pairing.pair(parameters, client, asker)
    case .answer(let parameters): return try pairing.answer(parameters, client)
    case .inspect(let parameters): return try pairing.inspect(parameters, client, asker)
    case .cancel:
      client.operation?.cancel()
      return .done
    case .forget(let sensor): return try sensors.forget(sensor)
    case .enable(let sensor): return try sensors.enable(sensor, true)
    case .disable(let parameters) where parameters.whileConnected: return try sensors.hold(parameters, client)
    case .disable(let parameters): return try sensors.enable(parameters.sensor, false)
    case .rename(let sensor, let name): return try sensors.rename(sensor, to: name)
    case .set(let parameters): return try sensors.set(parameters)
    case .command(let parameters): return try sensors.command(parameters, client, asker)
    case .capture(let sensors): return try capturing.capture(sensors, client)
    case .replay(let parameters): return try capturing.replay(parameters)
    case .ride(let parameters): return .reply(RideReply(hasChanged: ride.act(parameters)))
    case .laps: return .reply(ride.lapsReply)
    case .rideSettings(let changes): return try rider.rideSettings(changes)
    case .rider(let changes): return try rider.rider(changes)
    case .export: return try backup.export()
    case .import(let backup): return try self.backup.importBackup(backup)
    case .bike(let parameters): return try equipment.bike(parameters)
    }
  }
}
