// Commands to sensors, captures and replays.

import CaptureFormat
import EventLoop
import JSON
import Linux
import Radio
import Sensing
import SensorKit
import Serving
import Wire

extension Daemon {
  func command(_ parameters: CommandParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    let sensor = try requireSensor(parameters.sensor)
    let command = Command(name: parameters.name, value: parameters.numbers["value"], parameters: parameters.numbers)
    func named(_ refusal: Refusal) -> Refusal { Refusal(refusal.code, "\(sensor.name): \(refusal.message)") }
    do throws(Refusal) {
      guard let session = session(of: sensor) else { throw Refusal(.internal, "the sensor has no session") }
      try session.command(command) { [weak client] outcome in
        guard let client else { return }
        defer { client.didReply() }
        switch outcome {
        case .success(let answer): asker.answer(.result { $0.value(answer) })
        case .failure(let refusal): asker.refuse(named(refusal))
        }
      }
    } catch {
      throw named(error)
    }
    client.expectReply()
    return .later
  }

  func capture(_ names: [String]?, _ client: Client) throws(Refusal) -> Answer {
    try requireIdle(client)
    for name in names ?? [] { _ = try requireSensor(name) }
    let capture = Capture(of: names, for: client) { [weak self] in self?.ended($0) }
    client.operation = capture
    captures.add(capture)
    return .done.then { [self] in
      for session in sessions where capture.wants(session.id) { session.reader.begins(capture) }
    }
  }

  private func ended(_ capture: Capture) {
    captures.remove(capture)
    for session in sessions { session.reader.ends(capture) }
  }

  func replay(_ parameters: ReplayParameters) throws(Refusal) -> Answer {
    guard let radio = radio as? any ReplayingRadio else {
      throw Refusal(.notSupported, "this daemon uses real sensors: start one with --simulate")
    }
    var lines: [CaptureLine] = []
    for (index, text) in parameters.lines.enumerated() {
      do throws(CaptureError) {
        lines.append(try CaptureLine.parse(text))
      } catch {
        throw Refusal(.badRequest, "lines[\(index)]: \(error.message)")
      }
    }
    let sensors: [PlayedSensor]
    do throws(ReplayError) {
      sensors = try radio.replay(lines, speed: parameters.speed)
    } catch {
      throw Refusal(error.isForNow ? .busy : .badRequest, error.message)
    }
    for sensor in sensors {
      let isNew = roster.sensor(at: sensor.advert.address) == nil
      if isNew { try requireCapacity() }
      do throws(SystemError) {
        try adopt(sensor)
      } catch {
        throw Refusal(.internal, "cannot save a sensor: \(error)")
      }
    }
    reconsiderSearch()
    return .done
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
