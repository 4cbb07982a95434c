// A capture that arrives in pieces while the radio runs. Its devices join those of the scene, and
// its lines are played when they are due.

public import CaptureFormat
import EventLoop
import Linux
public import Radio
import Time
import Vocabulary

/// Events that have arrived but are not played yet.
struct Replay {
  /// The most pending events; a capture of hours arrives while it is played.
  static let capacity = 100_000
  /// Time for connecting, as in a recorded scene.
  static let leadIn = Duration.seconds(2)

  let began: MonotonicTime
  var speed: Double
  /// The indices of devices, by their names in the capture.
  var places: [String: Int] = [:]
  var events: [SceneEvent] = []
  var next = 0

  var isFull: Bool { events.count - next > Self.capacity }

  /// Later than any computer runs, because nanoseconds have to fit into 63 bits.
  static let longest = Duration.seconds(1_000_000_000)

  func time(of event: SceneEvent) -> MonotonicTime { began + min(event.at / speed, Self.longest) }
}

extension SimulatedRadio: ReplayingRadio {
  public func replay(_ lines: [CaptureLine], speed: Double) throws(ReplayError) -> [PlayedSensor] {
    let isNew = lines.contains(.header)
    guard var replay = isNew ? Replay(began: loop.now + Replay.leadIn, speed: speed) : self.replay else {
      throw ReplayError("a capture starts with the line \(CaptureLine.headerText)")
    }
    guard !replay.isFull else { throw ReplayError("too much of the capture has not been played yet", isForNow: true) }
    replay.speed = speed
    let scenery = try scenery(of: lines, known: replay.places)
    replay.drop()
    var joined = devices
    for device in scenery {
      replay.places[device.id] = device.place
      if device.place == joined.count {
        joined.append(SimulatedDevice(device.scenery))
      } else {
        joined[device.place].add(device.scenery.endpoints)
      }
    }
    for line in lines {
      if let report = line.report { replay.events.append(report) }
      guard case .event(let time, let id, let event) = line else { continue }
      guard let place = replay.places[id] else { throw ReplayError("\(id) is not a device of this capture") }
      guard let action = joined[place].scenery.action(for: event) else { continue }
      joined[place].hold(action)
      replay.events.append(SceneEvent(at: .nanoseconds(time.nanoseconds), device: place, action))
    }
    devices = joined
    self.replay = replay
    playReplay()
    return scenery.filter(\.isDeclared).map { PlayedSensor($0.scenery.advert, settings: $0.scenery.settings) }
  }

  private struct Scenery {
    let id: String
    let place: Int
    var scenery: SceneDevice
    /// Declared by a `device` line in this piece.
    let isDeclared: Bool
  }

  /// The devices declared in these lines, and earlier ones whose characteristics appear in them.
  private func scenery(of lines: [CaptureLine], known: [String: Int]) throws(ReplayError) -> [Scenery] {
    let uses = lines.reduce(into: [String: [BluetoothUUID]]()) { $0.note($1) }
    let settings = lines.settings
    var all: [Scenery] = []
    var count = devices.count
    for case .device(let description) in lines {
      var device = SceneDevice(
        description, number: count, uses: uses[description.id] ?? [], plugins: plugins, isWhole: false)
      device.settings = settings[description.id] ?? []
      let place = devices.firstIndex { $0.scenery.address == device.address } ?? count
      count = max(count, place + 1)
      all.append(Scenery(id: description.id, place: place, scenery: device, isDeclared: true))
    }
    for (id, uses) in uses where !all.contains(where: { $0.id == id }) {
      guard let place = known[id] else { throw ReplayError("\(id) is not a device of this capture") }
      var device = devices[place].scenery
      device.endpoints = device.endpoints(for: uses, plugins: plugins)
      all.append(Scenery(id: id, place: place, scenery: device, isDeclared: false))
    }
    return all
  }

  /// Plays due events, then waits for the next one.
  private func playReplay() {
    replaying?.cancel()
    while let replay, replay.next < replay.events.count {
      let event = replay.events[replay.next]
      guard replay.time(of: event) <= loop.now else {
        replaying = loop.schedule(at: replay.time(of: event)) { [weak self] in self?.playReplay() }
        return
      }
      self.replay?.next += 1
      play(event)
    }
  }
}

extension Replay {
  /// Drops events that were played.
  fileprivate mutating func drop() {
    events.removeSubrange(..<next)
    next = 0
  }
}

extension SimulatedDevice {
  /// Makes the first recorded value of a read available from the start, because the daemon may read
  /// it a moment earlier.
  fileprivate func hold(_ action: SceneEvent.Action) {
    guard case .holds(let endpoint, let value) = action, values[endpoint] == nil else { return }
    values[endpoint] = value
  }
}
