// A subscriber on the real socket that checks each line of the daemon. A violation is permanent.
//
// - No sample from a sensor that is not `streaming`, and no such state without a sample of the
// sensor's main kind.
// - Every sample has its packet, none is repeated or out of order, and `seq` rises by one.

import EventLoop
import JSON
import Linux
import TestSupport
import Time

final class Listener {
  /// The first violation.
  private(set) var defect: String?
  private(set) var lines = 0
  private(set) var samples = 0
  /// The number of changes from each state to each other one.
  private(set) var transitions: [String: Int] = [:]
  private(set) var reasons: [String: Int] = [:]
  /// Every state of an adapter, in order.
  private(set) var adapters: [String] = []
  /// Equal for two rides with the same records in the same order.
  private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325
  /// Called with every published state.
  var changed: (Sensor, _ state: String, _ reason: String) -> Void = { _, _, _ in }

  private let loop: EventLoop
  private let socket: FileDescriptorBox
  private var watch: Watch?
  private var splitter = LineSplitter()
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private let sensors: [String: Sensor]
  private var states: [String: String] = [:]
  private var sequences: [String: Int] = [:]
  private var lastSamples: [String: MonotonicTime] = [:]
  private var streamsSince: [String: MonotonicTime] = [:]
  /// Sensors that were reported to stream, whose next record must be a value.
  private var owed: Set<String> = []

  init(_ path: String, on loop: EventLoop, of sensors: [Sensor]) throws {
    self.loop = loop
    self.sensors = Dictionary(uniqueKeysWithValues: sensors.map { ($0.id, $0) })
    let socket = try UnixSocket.connect(to: path)
    try socket.setNonBlocking()
    self.socket = FileDescriptorBox(socket)
    watch = try loop.watch(self.socket.number, for: .readable) { [weak self] _ in self?.read() }
    send(#"{"id":1,"method":"subscribe","params":{"snapshot":false}}"#)
    send(#"{"id":2,"method":"sensors"}"#)
  }

  private func send(_ line: String) {
    if (try? StreamSocket.send(socket.number, Array((line + "\n").utf8).span)) == nil { fail("cannot send") }
  }

  func state(of sensor: Sensor) -> String { states[sensor.id] ?? "unknown" }

  func isStreaming(_ sensor: Sensor, since time: MonotonicTime) -> Bool {
    guard states[sensor.id] == "streaming", let last = lastSamples[sensor.id] else { return false }
    return last >= time
  }

  /// When the sensor was last reported to stream.
  func streams(_ sensor: Sensor) -> MonotonicTime? { streamsSince[sensor.id] }

  private func fail(_ what: String) {
    if defect == nil { defect = what }
  }
}

extension Listener {
  private func read() {
    while true {
      guard let result = try? readDescriptor(socket.number, into: &buffer) else { return fail("the socket failed") }
      guard case .done(let count) = result else { return }
      guard count > 0 else {
        watch?.cancel()
        return fail("the daemon closed the connection")
      }
      var complete: [[UInt8]] = []
      _ = splitter.feed(buffer.span.extracting(0..<count)) { line in
        complete.append(line.indices.map { line[$0] })
        return true
      }
      for line in complete { take(line) }
    }
  }

  private func take(_ line: [UInt8]) {
    lines += 1
    guard let record = try? JSONValue.parse(line) else { return fail("a line that is not valid JSON") }
    switch record["class"]?.text {
    case "sample": takeSample(record)
    case "state": takeState(record)
    case "reply":
      for sensor in record["result"]?["sensors"]?.items ?? [] {
        if let id = sensor["id"]?.text { states[id] = sensor["state"]?.text }
      }
    case "adapter": adapters.append(record["state"]?.text ?? "")
    case "error", "lag": fail("the subscriber received \(record.encoded)")
    default: break
    }
  }

  private func takeSample(_ record: JSONValue) {
    guard let id = record["sensor"]?.text, let kind = record["kind"]?.text, let number = record["seq"]?.integer
    else { return fail("a sample without a name: \(record.encoded)") }
    note("\(id) \(kind) \(number)")
    let last = sequences.updateValue(number, forKey: "\(id) \(kind)") ?? 0
    if number != last + 1 { fail("\(id) \(kind): after sample \(last) comes \(number)") }
    guard id != "ride" else { return takeDerived(record) }
    guard let sensor = sensors[id] else { return fail("a sample of an unknown sensor: \(record.encoded)") }
    samples += 1
    guard kind == sensor.kind.rawValue else { return }
    owed.remove(id)
    if states[id] != "streaming" { fail("\(id): a sample while it is \(states[id] ?? "unknown")") }
    guard let packet = sensor.kind.number(of: record), sensor.take(packet) else {
      return fail("\(id): a sample without a packet: \(record.encoded)")
    }
    lastSamples[id] = loop.now
  }

  /// The ride derives values only from a live sensor.
  private func takeDerived(_ record: JSONValue) {
    guard let source = record["source"]?.text, states[source] != "streaming" else { return }
    fail("the ride uses \(source), which is \(states[source] ?? "unknown"): \(record.encoded)")
  }

  private func takeState(_ record: JSONValue) {
    guard let id = record["sensor"]?.text, let state = record["state"]?.text, let sensor = sensors[id] else {
      return fail("a state of an unknown sensor: \(record.encoded)")
    }
    let reason = record["reason"]?.text ?? ""
    if owed.remove(id) != nil { fail("\(id): was published as streaming, but became \(state) without a sample") }
    if state == "streaming" { owed.insert(id) }
    note("\(id) \(state) \(reason)")
    transitions["\(states[id] ?? "unknown") > \(state)", default: 0] += 1
    if !reason.isEmpty { reasons[reason, default: 0] += 1 }
    states[id] = state
    if state == "streaming" { streamsSince[id] = loop.now }
    changed(sensor, state, reason)
  }

  /// FNV-1a over everything that does not depend on the wall clock.
  private func note(_ text: String) {
    for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}
