// The sensors of the simulated bike. They send frames of their Bluetooth profiles, which the
// project's own plugins decode. They fall silent, return, restart their counters and send packets
// twice.

import SensorKit
import Sensors
import Time
import Vocabulary

struct StudySensor {
  enum Form { case wheel, pedals, strap }

  let form: Form
  let source: Int
  let period: Double
  /// Seconds between two silences, and how long they last; nil if there are none.
  var silences: (between: ClosedRange<Double>, lasting: ClosedRange<Double>)?
  /// Probability per packet that the counters restart, and that the packet is repeated.
  var restarts = 0.0
  var repeats = 0.02

  var host: PluginHost
  let origin: PacketSource
  private var next: Double
  private var silentFrom = Double.infinity
  private var silentUntil = Double.infinity
  private(set) var lastWord = 0.0
  private var hasToldLoss = false
  private var base = (wheel: 0, crank: 0)

  init(_ form: Form, source: Int, period: Double = 1, at time: Double) {
    (self.form, self.source, self.period, next) = (form, source, period, time)
    let service: BluetoothUUID
    let characteristic: BluetoothUUID
    switch form {
    case .wheel: (service, characteristic) = (BluetoothUUID(0x1816), BluetoothUUID(0x2a5b))
    case .pedals: (service, characteristic) = (BluetoothUUID(0x1818), BluetoothUUID(0x2a63))
    case .strap: (service, characteristic) = (BluetoothUUID(0x180d), BluetoothUUID(0x2a37))
    }
    origin = PacketSource(
      .notified(service: service, characteristic: characteristic), sender: Sender(address: "study", name: ""))
    let types = builtInPlugins.plugins.filter { $0.info.services.contains(service) }
    host = PluginHost(types, settings: SensorSettings(circumferenceMM: StudyBike.circumference * 1000))
  }

  var isSilent: Bool { silentUntil < .infinity }

  /// True once per silence, when a session would report the sensor as lost.
  mutating func isLost(at time: Double) -> Bool {
    guard isSilent, !hasToldLoss, time - lastWord > 3.2 else { return false }
    hasToldLoss = true
    return true
  }

  /// Calls `take` with the decoded samples of each packet that is due.
  mutating func speak(of bike: inout StudyBike, into batch: inout Batch, _ take: (borrowing Batch, Int) -> Void) {
    guard bike.time >= next else { return }
    next = max(next + period, bike.time)
    plan(&bike)
    // Beats that were not received are lost.
    defer { if form == .strap { bike.beats.removeAll() } }
    guard !isSilent else { return }
    if bike.chance(restarts) { base = (bike.wheel.turns, bike.crank.turns) }
    let frame = frame(of: bike)
    for _ in 0..<(bike.chance(repeats) ? 2 : 1) {
      batch.removeAll()
      do throws(DecodeError) {
        try host.decode(frame.span, from: origin, at: MonotonicTime(seconds: bike.time), into: &batch)
      } catch {
        preconditionFailure("a valid frame was refused: \(error)")
      }
      take(batch, source)
    }
    (lastWord, hasToldLoss) = (bike.time, false)
  }

  private mutating func plan(_ bike: inout StudyBike) {
    guard let silences else { return }
    if silentFrom == .infinity, !isSilent { silentFrom = bike.time + bike.within(silences.between) }
    if bike.time >= silentFrom {
      (silentFrom, silentUntil) = (.infinity, bike.time + bike.within(silences.lasting))
    }
    if bike.time >= silentUntil { silentUntil = .infinity }
  }

  /// The frame that it would send now.
  func frame(of bike: StudyBike) -> [UInt8] {
    let crank = UInt16(truncatingIfNeeded: bike.crank.turns - base.crank)
    let crankTime = UInt16(truncatingIfNeeded: Int(bike.crank.at * 1024))
    switch form {
    case .wheel:
      let wheel = UInt32(truncatingIfNeeded: bike.wheel.turns - base.wheel)
      return [0x03] + wheel.bytes + UInt16(truncatingIfNeeded: Int(bike.wheel.at * 1024)).bytes + crank.bytes
        + crankTime.bytes
    case .pedals:
      return [0x20, 0x00] + UInt16(bitPattern: Int16(bike.watts.rounded())).bytes + crank.bytes + crankTime.bytes
    case .strap:
      let beats = bike.beats.suffix(9).flatMap { UInt16(($0 * 1.024).rounded()).bytes }
      return [beats.isEmpty ? 0x00 : 0x10, UInt8(bike.bpm.rounded())] + beats
    }
  }
}

extension FixedWidthInteger {
  /// Little-endian, as in Bluetooth.
  var bytes: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
