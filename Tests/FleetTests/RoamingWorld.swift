// Receivers that share one sensor, with daemons, radios and a broker that loses and delays messages.
// Time is virtual, and chance is seeded.

import TestSupport
import Time

@testable import Fleet

final class RoamingWorld {
  struct Weather {
    /// Of messages that the broker does not acknowledge.
    var loss = 0.0
    /// The longest time of a message from one receiver to another.
    var delay = Duration.milliseconds(20)
    /// Of adverts.
    var advertLoss = 0.3
  }

  final class Receiver {
    let name: FleetName
    var roaming: Roaming
    /// The strength of the sensor here; nil out of range.
    var strength: Int?
    var isHeld = false
    fileprivate var listens = false
    fileprivate var isRunning = true
    fileprivate var isOnline = true
    /// When its attempt to connect is decided.
    fileprivate var attempt: MonotonicTime?

    init(_ name: FleetName, _ roaming: Roaming) { (self.name, self.roaming) = (name, roaming) }
  }

  private enum Message {
    case status(Bool)
    case strength(HeardStrength)
    case claim(RoamingClaim?)
  }

  private struct Letter {
    let due: MonotonicTime
    let from: FleetName
    let to: FleetName
    let message: Message
  }

  static let address = "C0:FF:EE:00:00:01"
  private static let step = Duration.milliseconds(50)
  private static let start = MonotonicTime.at(100)

  let receivers: [Receiver]
  var weather: Weather
  private(set) var now = RoamingWorld.start
  /// The receiver with the link.
  private(set) var owner: FleetName?
  /// When the sensor was linked, and by whom.
  private(set) var links: [(at: MonotonicTime, by: FleetName)] = []
  /// Links that a receiver ended although it still received the sensor.
  private(set) var broken = 0
  private(set) var failedAttempts = 0
  /// Since when no receiver has had the sensor, while one received it.
  private(set) var freeSince: MonotonicTime? = RoamingWorld.start
  /// How long the sensor was free each time.
  private(set) var waits: [Duration] = []
  private var letters: [Letter] = []
  private var lastDue: [FleetName: MonotonicTime] = [:]
  private var retainedClaims: [FleetName: RoamingClaim] = [:]
  private var random: SeededRandom
  private var ticks = 0

  init(
    _ names: [String], pins: [String: FleetName] = [:], weather: Weather = Weather(), seed: UInt64 = 1
  ) {
    self.weather = weather
    random = SeededRandom(seed)
    receivers = names.compactMap { FleetName($0) }.map { name in
      Receiver(name, Roaming(RoamingSettings(receiver: name, pins: pins), at: Self.start))
    }
    for receiver in receivers {
      receiver.roaming.brokerConnected(at: now)
      receiver.roaming.add(sensor: "strap", at: Self.address, .unlinked, at: now)
      for other in receivers where other !== receiver {
        receiver.roaming.received(status: true, of: other.name, at: now)
      }
      act(for: receiver)
    }
  }

  subscript(_ name: String) -> Receiver { receivers.first { $0.name.text == name } ?? receivers[0] }

  func run(for span: Duration) {
    let end = now + span
    while now < end { tick() }
  }

  /// Returns false if it does not happen in time.
  func run(within span: Duration, until condition: () -> Bool) -> Bool {
    let end = now + span
    while now < end {
      if condition() { return true }
      tick()
    }
    return condition()
  }

  /// The sensor falls asleep, or leaves everybody, for a moment.
  func dropLink() {
    guard let owner else { return }
    end(of: owner)
  }

  /// Like a power failure: the broker publishes the will.
  func crash(_ name: String) {
    let receiver = self[name]
    (receiver.isRunning, receiver.isOnline, receiver.attempt) = (false, false, nil)
    if owner == receiver.name { end(of: receiver.name) }
    send(.status(false), from: receiver)
  }

  /// The receiver and the broker lose each other; its daemon goes on.
  func cut(_ name: String) {
    self[name].isOnline = false
    self[name].roaming.brokerDisconnected(at: now)
    letters.removeAll { $0.to.text == name }
    send(.status(false), from: self[name])
  }

  func join(_ name: String) {
    let receiver = self[name]
    receiver.isOnline = true
    receiver.roaming.brokerConnected(at: now)
    for other in receivers where other !== receiver {
      receiver.roaming.received(status: other.isOnline, of: other.name, at: now)
    }
    for (claimant, claim) in retainedClaims.sorted(by: { $0.key.text < $1.key.text }) {
      receiver.roaming.received(claim, to: Self.address, from: claimant, at: now)
    }
    send(.status(true), from: receiver)
    act(for: receiver)
  }
}

// MARK: Time

extension RoamingWorld {
  private func tick() {
    now = now + Self.step
    ticks += 1
    deliver()
    for receiver in receivers where receiver.isRunning {
      if ticks % 5 == 0 { advertise(to: receiver) }
      decideAttempt(of: receiver)
      if owner == receiver.name, receiver.strength == nil { end(of: receiver.name) }
      if let deadline = receiver.roaming.deadline, deadline <= now { receiver.roaming.timePassed(at: now) }
      act(for: receiver)
    }
    measure()
  }

  /// From 0 up to 1.
  private func chance() -> Double { .random(in: 0..<1, using: &random) }

  private func measure() {
    let isReceived = receivers.contains { $0.isRunning && $0.strength != nil }
    if owner != nil || !isReceived {
      if owner != nil, let freeSince { waits.append(now - freeSince) }
      freeSince = nil
    } else if freeSince == nil {
      freeSince = now
    }
  }

  /// Four times per second, unless somebody has the link.
  private func advertise(to receiver: Receiver) {
    guard owner == nil, let strength = receiver.strength, chance() >= weather.advertLoss else { return }
    let measured = strength + Int(chance() * 5) - 2
    if receiver.isHeld {
      guard receiver.listens else { return }
      receiver.roaming.received(advertOf: Self.address, strength: measured, at: now)
    } else if receiver.attempt == nil {
      receiver.attempt = now + .milliseconds(200 + Int(chance() * 600))
    }
  }

  private func decideAttempt(of receiver: Receiver) {
    guard let attempt = receiver.attempt, attempt <= now else { return }
    receiver.attempt = nil
    guard !receiver.isHeld, receiver.strength != nil else { return }
    guard owner == nil else { return failedAttempts += 1 }
    owner = receiver.name
    links.append((now, receiver.name))
    receiver.roaming.change(sensorAt: Self.address, to: .linked, at: now)
  }

  private func end(of name: FleetName) {
    owner = nil
    let receiver = self[name.text]
    guard receiver.isRunning else { return }
    receiver.roaming.change(sensorAt: Self.address, to: receiver.isHeld ? .held : .unlinked, at: now)
    act(for: receiver)
  }

  private func act(for receiver: Receiver) {
    for action in receiver.roaming.takeActions() {
      switch action {
      case .hold(_, let listens):
        receiver.listens = listens
        (receiver.isHeld, receiver.attempt) = (true, nil)
        if owner == receiver.name {
          owner = nil
          broken += 1
        }
        receiver.roaming.change(sensorAt: Self.address, to: .held, at: now)
      case .connect: receiver.isHeld = false
      case .publishStrength(let strength, _): send(.strength(strength), from: receiver)
      case .publishClaim(let claim, _): send(.claim(claim), from: receiver)
      case .publishRelease: send(.claim(nil), from: receiver)
      }
    }
  }
}

// MARK: The broker

extension RoamingWorld {
  private func send(_ message: Message, from receiver: Receiver) {
    if case .status = message {} else if !receiver.isOnline { return }
    if case .claim(let claim) = message { retainedClaims[receiver.name] = claim }
    if case .strength = message, chance() < weather.loss { return }
    // What a receiver publishes arrives in order.
    let delay = Duration.nanoseconds(Int64(Double(weather.delay.wholeNanoseconds) * chance()))
    let due = max(lastDue[receiver.name] ?? now, now + delay)
    lastDue[receiver.name] = due
    for other in receivers where other !== receiver && other.isRunning && other.isOnline {
      letters.append(Letter(due: due, from: receiver.name, to: other.name, message: message))
    }
  }

  private func deliver() {
    let due = letters.filter { $0.due <= now }
    letters.removeAll { $0.due <= now }
    for letter in due {
      let receiver = self[letter.to.text]
      guard receiver.isRunning, receiver.isOnline else { continue }
      switch letter.message {
      case .status(let isOnline): receiver.roaming.received(status: isOnline, of: letter.from, at: now)
      case .strength(let strength):
        receiver.roaming.received(strength, of: Self.address, from: letter.from, at: now)
      case .claim(let claim): receiver.roaming.received(claim, to: Self.address, from: letter.from, at: now)
      }
      act(for: receiver)
    }
  }
}
