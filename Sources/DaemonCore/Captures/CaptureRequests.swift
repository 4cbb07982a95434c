// Captures of what sensors send, and replays of captures by a simulation.

import CaptureFormat
import Linux
import ProgramKit
import Radio
import Sensing
import Serving
import Wire

struct CaptureRequests {
  let sensors: SensorKeeper
  let captures: Captures
  let radio: any SensorRadio

  private var roster: Roster { sensors.roster }

  func capture(_ names: [String]?, _ client: Client) throws(Refusal) -> Answer {
    try client.requireIdle()
    for name in names ?? [] { _ = try roster.require(name) }
    let capture = Capture(of: names, for: client) { [sensors, captures] capture in
      captures.remove(capture)
      for session in sensors.sessions { session.reader.ends(capture) }
    }
    client.begin(capture)
    captures.add(capture)
    return .done.then { [sensors] in
      for session in sensors.sessions where capture.wants(session.id) { session.reader.begins(capture) }
    }
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
    let played: [PlayedSensor]
    do throws(ReplayError) {
      played = try radio.replay(lines, speed: parameters.speed)
    } catch {
      throw Refusal(error.isForNow ? .busy : .badRequest, error.message)
    }
    for sensor in played {
      let isNew = roster.sensor(at: sensor.advert.address) == nil
      if isNew { try roster.requireCapacity() }
      do throws(SystemError) {
        try adopt(sensor)
      } catch {
        throw Refusal(.internal, "cannot save a sensor: \(error)")
      }
    }
    sensors.changed()
    return .done
  }

  /// Pairs a replayed sensor as if the user had done it.
  private func adopt(_ played: PlayedSensor) throws(SystemError) {
    let known = roster.sensor(at: played.advert.address)
    let sensor = played.applied(to: known ?? sensors.makeSensor(of: played.advert))
    try roster.put(sensor)
    if known == nil {
      sensors.publish(.added, sensor)
      sensors.begin(sensor)
    } else if known != sensor {
      sensors.follow(sensor)
      sensors.publish(.changed, sensor)
    }
  }

  /// Pairs the sensors of a simulation as if the user had done it before.
  func adopt(_ played: [PlayedSensor], of scene: [DeviceAddress]) throws(StartError) {
    let isOfScene = roster.sensors.contains { scene.contains($0.address) }
    // Sensors that the user forgot stay forgotten. Sensors of another scene are replaced.
    guard !roster.wasFound || !roster.sensors.isEmpty && !isOfScene else { return }
    guard played.count <= Roster.capacity else {
      let text = "the scene has \(played.count) sensors, but at most \(Roster.capacity) can be paired"
      throw StartError(text)
    }
    for sensor in roster.sensors { try? roster.remove(sensor.id) }
    for sensor in played {
      do throws(SystemError) {
        try roster.put(sensor.applied(to: sensors.makeSensor(of: sensor.advert)))
      } catch {
        throw StartError("\(error)")
      }
    }
  }
}
