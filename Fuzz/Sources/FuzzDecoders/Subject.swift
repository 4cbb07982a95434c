// A host with its batch, and its output of one step as bytes, so that hosts can be compared.

import DecoderScript
import Fuzzing
import JSON
import SampleLines
import SensorKit
import Sensors
import Time
import Wire

enum Outcome: Equatable {
  case done
  case refused(DecodeError)
  case declined(CommandError)
}

struct Subject: ~Copyable {
  private let infos: [SensorInfo]
  private let commands: [(key: Key, name: String)]
  private var host: PluginHost
  private var batch = Batch()
  private var sample = EncodedSample()
  private var writer = JSONWriter()

  init(_ plugins: [NamedPlugin], _ settings: SensorSettings, name: String) {
    host = PluginHost(plugins.map(\.plugin), settings: settings, quirks: builtInPlugins.quirks, name: name)
    infos = plugins.map { $0.plugin.info }
    commands = plugins.flatMap(\.commands)
  }

  var deadline: MonotonicTime? { host.deadline }
  var silence: Silence { host.silence }
  var hasNoOutput: Bool { batch.entries.isEmpty && batch.actions.isEmpty }
  /// The output of the last step: a line per entry, including hidden ones, then its requests.
  var output: [UInt8] { writer.bytes }

  mutating func take(_ step: Step.Action, from source: PacketSource?, at time: MonotonicTime) -> Outcome {
    batch.removeAll()
    let outcome = run(step, from: source, at: time)
    batch.requireSound(for: infos)
    write(at: time)
    return outcome
  }

  /// Processes a packet only if it refuses it.
  mutating func suffer(_ value: [UInt8], from source: PacketSource, at time: MonotonicTime) {
    var suffering = host
    batch.removeAll()
    do throws(DecodeError) {
      try suffering.decode(value.span, from: source, at: time, into: &batch)
    } catch {
      require(hasNoOutput, "refused, but produced output")
      host = suffering
    }
  }

  private mutating func run(_ step: Step.Action, from source: PacketSource?, at time: MonotonicTime) -> Outcome {
    switch step {
    case .packet(_, _, _, let value):
      guard let source else { return .done }
      do throws(DecodeError) {
        try host.decode(value.span, from: source, at: time, into: &batch)
      } catch {
        return .refused(error)
      }
    case .connected:
      host.connected(at: time, into: &batch)
      require(!batch.overflowed, "the requests of \(infos.map(\.id)) have no room")
    case .disconnected: host.disconnected()
    case .tick:
      host.tick(at: time, into: &batch)
      if let deadline = host.deadline {
        require(deadline > time, "after a tick at \(time.nanoseconds) the deadline is \(deadline.nanoseconds)")
      }
    case .command(let key, let value, let parameters):
      let name = key.choose(among: commands) { $0.key }?.name ?? "unknown"
      do throws(CommandError) {
        try host.command(Command(name: name, value: value, parameters: parameters), at: time, into: &batch)
      } catch {
        return .declined(error)
      }
    case .commandFailed: host.commandFailed()
    case .settings(let code): host.settingsChanged(sensorSettings(code))
    case .sender(let sender): host.nameChanged(sender.name)
    }
    return .done
  }

  private mutating func write(at time: MonotonicTime) {
    writer.removeAll()
    for entry in batch.entries {
      switch entry.kind {
      case .fact: writer.factLines(sensor: "x", time: time, entry, of: batch)
      case .answer: writer.answerLine(sensor: "x", time: time, entry, of: batch)
      case .event(let name): writer.eventLine(name, time: time, entry, of: batch)
      case .sample(let kind):
        sample.encode(kind, entry, of: batch, SampleHeader(sensor: "x", sequence: entry.isHidden ? 0 : 1, time: time))
        writer.sample(sample, ageMS: 0)
        writer.endLine()
      }
    }
    for action in batch.actions {
      writer.beginRecord("\(action.verb)")
      writer.member("to", place(of: action))
      writer.member("value")
      writer.beginArray()
      for byte in batch.value(of: action) { writer.number(Int(byte)) }
      writer.endArray()
      writer.endObject()
      writer.endLine()
    }
  }

  /// As a number, because a UUID is slow to write.
  private func place(of action: Batch.Action) -> Int {
    let uses = infos.lazy.flatMap(\.characteristics)
    let place = uses.enumerated().first {
      $0.element.service == action.service && $0.element.characteristic == action.characteristic
    }
    require(place != nil, "\(action.verb) of \(action.service)/\(action.characteristic), which no plugin lists")
    return place?.offset ?? 0
  }
}
