// Commands to sensors, captures and replays.

import CaptureFormat
import EventLoop
import JSON
import Linux
import Radio
import SensorKit
import Wire

extension Daemon {
  func command(_ parameters: CommandParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    let sensor = try requireSensor(parameters.sensor, id)
    let command = Command(name: parameters.name, value: parameters.numbers["value"], parameters: parameters.numbers)
    do throws(CommandFailure) {
      guard let session = session(of: sensor) else { throw CommandFailure(.internal, "the sensor has no session") }
      try session.command(command) { [weak self, weak client] outcome in
        guard let self, let client else { return }
        defer { client.didReply() }
        switch outcome {
        case .success(let answer): self.reply(to: id, client) { $0.value(answer) }
        case .failure(let failure): client.send(ErrorRecord(id: id, failure.code, "\(sensor.name): \(failure.message)"))
        }
      }
      client.expectReply()
    } catch {
      throw ErrorRecord(id: id, error.code, "\(sensor.name): \(error.message)")
    }
  }

  func capture(_ names: [String]?, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    try requireIdle(client, id)
    for name in names ?? [] { _ = try requireSensor(name, id) }
    let capture = Capture(of: names, for: client) { [weak self] in self?.ended($0) }
    client.operation = capture
    captures.add(capture)
    reply(to: id, client)
    for session in sessions where capture.wants(session.id) { session.begins(capture) }
  }

  private func ended(_ capture: Capture) {
    captures.remove(capture)
    for session in sessions { session.ends(capture) }
  }

  func replay(_ parameters: ReplayParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    guard let radio = radio as? any ReplayingRadio else {
      throw ErrorRecord(id: id, .notSupported, "this daemon uses real sensors: start one with --simulate")
    }
    var lines: [CaptureLine] = []
    for (index, text) in parameters.lines.enumerated() {
      do throws(CaptureError) {
        lines.append(try CaptureLine.parse(text))
      } catch {
        throw ErrorRecord(id: id, .badRequest, "lines[\(index)]: \(error.message)")
      }
    }
    let sensors: [PlayedSensor]
    do throws(ReplayError) {
      sensors = try radio.replay(lines, speed: parameters.speed)
    } catch {
      throw ErrorRecord(id: id, error.isForNow ? .busy : .badRequest, error.message)
    }
    for sensor in sensors {
      let isNew = roster.sensor(at: sensor.advert.address) == nil
      if isNew { try requireCapacity(id) }
      do throws(SystemError) {
        try adopt(sensor)
      } catch {
        throw ErrorRecord(id: id, .internal, "cannot save a sensor: \(error)")
      }
    }
    reply(to: id, client)
    reconsiderSearch()
  }

  /// Pairs a replayed sensor as if the user had done it.
  private func adopt(_ played: PlayedSensor) throws(SystemError) {
    let known = roster.sensor(at: played.advert.address)
    let sensor = played.applied(to: known ?? makeSensor(of: played.advert))
    try roster.put(sensor)
    if known == nil {
      publisher.publish(SensorChangeRecord(.added, record(of: sensor)))
      addSession(for: sensor)
    } else if known != sensor {
      applyBikeDefaults(sensor)
      publisher.publish(SensorChangeRecord(.changed, record(of: sensor)))
    }
  }
}
