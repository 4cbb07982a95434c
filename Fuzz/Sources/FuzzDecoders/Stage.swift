// Three hosts in parallel, which must give the same output. The first and second get all packets.
// The third never gets a packet that the first refused. So a refused packet or command has no
// effect. Before each packet the first two get corrupted copies of it, as far as they refuse them.

import DecoderScript
import Fuzzing
import JSON
import SensorKit
import Sensors
import Time

private let plugins = builtInPlugins.plugins.map { NamedPlugin($0) }

struct Stage: ~Copyable {
  private var first: Subject
  private var second: Subject
  private var sheltered: Subject
  private let sources: [NamedSource]
  private let isSingle: Bool
  private var sender: Sender
  private var now = MonotonicTime(seconds: 1000)
  private var distance = 0.0
  /// When the last accepted packet arrived.
  private var lastPacket: MonotonicTime?

  init(_ script: Script) {
    let chosen = script.choose(among: plugins)
    let settings = sensorSettings(script.settings)
    first = Subject(chosen, settings, name: script.sender.name)
    second = Subject(chosen, settings, name: script.sender.name)
    sheltered = Subject(chosen, settings, name: script.sender.name)
    sources = chosen.flatMap(\.sources)
    isSingle = chosen.count == 1
    sender = script.sender
    show("plugins \(chosen.map { $0.plugin.info.id }), \(settings), \(sender)")
  }

  mutating func play(_ step: Step) {
    now = now + step.pause.duration
    if case .sender(let sender) = step.action { self.sender = sender }
    let source = source(of: step.action)
    disturb(step.action, source)
    let deadline = first.deadline
    let silence = first.silence

    let outcome = first.take(step.action, from: source, at: now)
    show(
      "\(now.seconds) \(describe(step.action, source)): \(outcome)\n\(String(decoding: first.output, as: UTF8.self))")
    let repeated = second.take(step.action, from: source, at: now)
    require(repeated == outcome && second.output == first.output, "the same step has another result on the second host")

    if outcome == .done {
      require(sheltered.take(step.action, from: source, at: now) == outcome, "refused only without the bad packets")
      require(
        sheltered.output == first.output,
        "without the refused packets the output would be \(String(decoding: sheltered.output, as: UTF8.self))")
    } else {
      require(first.hasNoOutput, "refused, but produced output")
      require(first.deadline == deadline && first.silence == silence, "refused, but changed deadline or silence")
    }
    require(first.deadline == sheltered.deadline, "a refused packet changed the deadline")
    require(first.silence == sheltered.silence, "a refused packet changed the permitted silence")
    judge(outcome, step.action, due: deadline)
  }

  /// Gives corrupted copies of a packet to the two hosts that get refused packets.
  private mutating func disturb(_ action: Step.Action, _ source: PacketSource?) {
    guard case .packet(_, _, _, let value) = action, let source, let last = value.last else { return }
    let changed = [value[0] ^ (1 << (last & 7))] + value.dropFirst()
    for spoilt in [value.dropLast(), value + [last], changed] {
      first.suffer(spoilt, from: source, at: now)
      second.suffer(spoilt, from: source, at: now)
    }
  }

  private func source(of action: Step.Action) -> PacketSource? {
    guard case .packet(let key, let origin, let company, _) = action,
      let chosen = key.choose(among: sources, by: \.key)
    else { return nil }
    return PacketSource(chosen.origin(origin, company: company), sender: sender)
  }

  private func describe(_ action: Step.Action, _ source: PacketSource?) -> String {
    guard case .packet(_, _, _, let value) = action, let source else { return "\(action)" }
    return "\(source.origin) \(value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
  }
}

// MARK: Invariants of the output

extension Stage {
  private mutating func judge(_ outcome: Outcome, _ action: Step.Action, due deadline: MonotonicTime?) {
    if case .packet = action, outcome == .done { lastPacket = now }
    if case .packet(_, _, _, let value) = action {
      if case .refused(let error) = outcome {
        require(0...value.count ~= error.offset, "refused at \(error.offset) of \(value.count) bytes")
        require(value.isEmpty == (error.reason == .empty), "\(value.count) bytes refused as \(error.reason.rawValue)")
      }
    }
    for record in records(of: first.output) where record["class"]?.text == "sample" {
      if case .tick = action, !mayHold(until: deadline) { requireNoZero(record) }
      requirePlausible(record)
    }
  }

  private static let rates = ["speed_mps", "cadence_rpm", "cadence_per_min", "power_w", "bpm"]

  /// A partial record is held for at most a second. What a tick publishes later does not come from
  /// a packet.
  private func mayHold(until deadline: MonotonicTime?) -> Bool {
    guard let lastPacket, let deadline else { return false }
    return deadline <= lastPacket + .seconds(1)
  }

  /// Silence never makes a zero.
  private func requireNoZero(_ record: JSONValue) {
    for rate in Self.rates { require(record[rate]?.number != 0, "a tick publishes \(rate) 0") }
  }

  private mutating func requirePlausible(_ record: JSONValue) {
    for name in ["speed_mps", "cadence_rpm", "cadence_per_min", "distance_delta_m", "bpm"] {
      require(record[name]?.number ?? 0 >= 0, "\(name) is \(record[name]?.number ?? 0)")
    }
    // Several plugins of one sensor each measure their own distance.
    guard isSingle, record["kind"]?.text == "speed", let distance = record["distance_m"]?.number else { return }
    require(distance >= self.distance, "distance_m goes back from \(self.distance) to \(distance)")
    self.distance = distance
  }
}
