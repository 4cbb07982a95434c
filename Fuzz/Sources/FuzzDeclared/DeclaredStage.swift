// Two decoders of one file. The second never gets what the first refused.

import DeclaredSensors
import Fuzzing
import SensorKit
import Time

struct DeclaredStage: ~Copyable {
  private let program: SensorProgram
  private var first: PluginHost
  private var sheltered: PluginHost
  private var batch = Batch()
  private var now = MonotonicTime(seconds: 1000)
  private let sources: [PacketSource]

  init(_ program: SensorProgram) {
    self.program = program
    let settings = SensorSettings(circumferenceMM: 2096, role: .front)
    let sender = Sender(address: "01:02:03:04:05:06", name: program.info.adverts.first?.name ?? "x")
    first = PluginHost([program.plugin], settings: settings, name: sender.name)
    sheltered = PluginHost([program.plugin], settings: settings, name: sender.name)
    let uses = program.info.characteristics.map {
      PacketSource.Origin.notified(service: $0.service, characteristic: $0.characteristic)
    }
    let adverts = program.info.adverts.map { advert -> PacketSource.Origin in
      switch advert.carrier {
      case .manufacturer(let company): .manufacturer(company)
      case .serviceData(let uuid): .serviceData(uuid)
      case .anyManufacturer: .manufacturer(0x1d20)
      }
    }
    sources = (uses + adverts).map { PacketSource($0, sender: sender) }
  }

  /// A byte for the source and the time, a byte for the length, and so many bytes of a packet.
  mutating func play(_ script: ArraySlice<UInt8>) {
    var rest = script
    requireWrites { host, now, batch in host.connected(at: now, into: &batch) }
    while let step = rest.popFirst(), let length = rest.popFirst() {
      let packet = Array(rest.prefix(Int(length)))
      rest = rest.dropFirst(packet.count)
      now = now + .milliseconds(Int64(step >> 4) * 250)
      switch (step, sources.isEmpty) {
      case (0xff, _):
        first.disconnected()
        sheltered.disconnected()
      case (0xfe, _), (_, true): command(Double(length))
      case (_, false): decode(packet, from: sources[Int(step & 0xf) % sources.count])
      }
    }
    requireWrites { host, _, batch in host.disconnecting(into: &batch) }
  }

  private mutating func decode(_ packet: [UInt8], from source: PacketSource) {
    let (silence, deadline) = (first.silence, first.deadline)
    batch.removeAll()
    do throws(DecodeError) {
      try first.decode(packet.span, from: source, at: now, into: &batch)
    } catch {
      show("\(packet): \(error)")
      require(batch.entryIndices.isEmpty && batch.actions.isEmpty, "refused, but produced output")
      require(0...max(511, packet.count) ~= error.offset, "refused at \(error.offset) of \(packet.count) bytes")
      require(first.silence == silence && first.deadline == deadline, "refused, but changed silence or deadline")
      return
    }
    let lines = lines(of: batch)
    show("\(packet): \(String(decoding: lines, as: UTF8.self))")
    _ = records(of: lines)
    require(batch.actions.isEmpty, "a packet made the sensor write")
    batch.removeAll()
    do throws(DecodeError) {
      try sheltered.decode(packet.span, from: source, at: now, into: &batch)
    } catch {
      require(false, "refused only without the bad packets: \(error)")
    }
    require(Fuzzing.lines(of: batch) == lines, "without the refused packets the output is another")
  }

  private mutating func command(_ value: Double) {
    for name in program.info.commands {
      requireWrites { host, now, batch in
        do throws(CommandError) {
          try host.command(Command(name: name, value: value), at: now, into: &batch)
        } catch {
          require(batch.actions.isEmpty, "a command was refused, but writes")
        }
      }
    }
    batch.removeAll()
    first.commandFailed()
  }

  private mutating func requireWrites(_ body: (inout PluginHost, MonotonicTime, inout Batch) -> Void) {
    batch.removeAll()
    body(&first, now, &batch)
    for action in batch.actions where action.verb == .write {
      require(!DeclaredWrite.forbiddenServices.contains(action.service), "a write to \(action.service)")
      require(1...64 ~= batch.value(of: action).count, "a write of \(batch.value(of: action).count) bytes")
    }
  }
}
