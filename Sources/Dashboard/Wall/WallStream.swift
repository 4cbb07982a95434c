// One page that shows other bikes, with a connection to the bridge of its own. The bridge's lines are
// passed on as they come, in messages with the time at which they were read. A page that is so slow that
// too much waits is disconnected, connects again, and gets the newest of everything.

import CyclometerClient
import EventLoop
import FleetWire
import HTTP
import HTTPServing
import JSON
import Linux
import LogbookWire
import Time
import WebAccess
import WebFrames

final class WallStream: FrameSource {
  /// What may wait for a page. Everything that a bridge knows of some hundred bikes fits.
  static let mostBytes = 4 << 20
  private static let beatInterval = Duration.seconds(1)
  private static let retryTime = Duration.seconds(2)

  let phone: Int
  private let request: WallRequest
  private let bridge: String
  private let loop: EventLoop
  /// Counts as an open stream of the phone.
  private let permit: StreamPermit?
  private var channel: EventChannel?
  private var writer: EventReader?
  private var connection: ControlConnection?
  /// The records of this iteration of the loop.
  private var records: [UInt8] = []
  /// Messages that were not rendered yet, and those of the last rendering, which may be discarded unsent.
  private var waiting: [UInt8] = []
  private var rendered: [UInt8] = []
  private var renderedVersion = 0
  private var hook: Hook?
  private var beat: Deadline?
  private var retry: Deadline?
  /// Called with why the bridge is not there, and with nil when it is.
  var presenceChanged: (String?) -> Void = { _ in }

  init(_ request: WallRequest, of bridge: String, phone: Int, permit: StreamPermit?, in loop: EventLoop) {
    (self.request, self.bridge, self.phone, self.permit, self.loop) = (request, bridge, phone, permit, loop)
    hook = loop.makeHook { [weak self] in self?.flush() }
  }

  /// Returns false if the page is gone already. `ended` is called when the stream ends.
  func open(
    _ exchange: HTTPExchange, _ greeting: StreamGreeting, name: String, hz: Double, ended: @escaping () -> Void
  ) -> Bool {
    let channel = EventChannel(self)
    self.channel = channel
    writer = exchange.open(
      .eventStream, on: channel, greeting: greeting.message(name: name, hz: hz, now: loop.now),
      ended: { [weak self] in
        self?.stop()
        ended()
      })
    guard writer != nil else { return false }
    beat = loop.schedule(after: Self.beatInterval) { [weak self] in self?.sendBeat() }
    connect()
    return true
  }

  func close() { writer?.close() }

  func stop() {
    for deadline in [beat, retry] { deadline?.cancel() }
    connection?.close()
    (connection, writer) = (nil, nil)
  }

  func appendChanges(after version: Int, to message: inout [UInt8]) {
    // Otherwise nothing of the last rendering was sent.
    if version >= renderedVersion { rendered.removeAll(keepingCapacity: true) }
    rendered += waiting
    waiting.removeAll(keepingCapacity: true)
    renderedVersion = channel?.version ?? 0
    message += rendered
  }
}

// MARK: The bridge

extension WallStream {
  private func connect() {
    do throws(SystemError) {
      let connection = try ControlConnection(
        to: bridge, of: "the bridge", in: loop, received: { [weak self] in self?.add($0) },
        ended: { [weak self] in self?.lose(ClientError.closed.of("bridge")) })
      self.connection = connection
      var parameters = JSONWriter()
      request.writeParameters(into: &parameters)
      connection.send(WallRequest.method.rawValue, parameters.bytes[...]) { [weak self] in self?.handle($0) }
    } catch {
      lose(ClientError(connecting: bridge, error).of("bridge"))
    }
  }

  private func handle(_ answer: Result<JSONValue, ControlRefusal>) {
    switch answer {
    case .success:
      presenceChanged(nil)
      publish(isPresent: true, nil)
    // With the end of the connection, `ended` follows.
    case .failure(let refusal): if refusal.code != nil { lose(refusal.message) }
    }
  }

  private func lose(_ reason: String) {
    connection?.close()
    connection = nil
    presenceChanged(reason)
    publish(isPresent: false, reason)
    retry = loop.schedule(after: Self.retryTime) { [weak self] in self?.connect() }
  }

  /// `{"class":"bridge","present":false,"message":"no bridge listens at …"}`
  private func publish(isPresent: Bool, _ message: String?) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("class", "bridge")
    writer.member("present", isPresent)
    writer.member("message", message)
    writer.endObject()
    add(writer.bytes.span)
  }

  private func add(_ line: Span<UInt8>) {
    if !records.isEmpty { records.append(UInt8(ascii: ",")) }
    records.append(line)
    hook?.schedule()
  }
}

// MARK: Messages

extension WallStream {
  /// At the end of an iteration of the loop: all its records are one message.
  private func flush() {
    guard let channel, writer != nil, !records.isEmpty else { return }
    beginMessage("frame")
    waiting.append(contentsOf: #","records":["#.utf8)
    waiting += records
    waiting.append(contentsOf: "]}\n\n".utf8)
    records.removeAll(keepingCapacity: true)
    guard waiting.count + rendered.count <= Self.mostBytes else { return close() }
    beat?.set(to: loop.now + Self.beatInterval)
    channel.publish(channel.version + 1)
  }

  private func sendBeat() {
    beat?.set(to: loop.now + Self.beatInterval)
    // A page that has not read the last message learns nothing from this one.
    guard let channel, waiting.isEmpty else { return }
    beginMessage("beat")
    waiting.append(contentsOf: "}\n\n".utf8)
    channel.publish(channel.version + 1)
  }

  private func beginMessage(_ name: StaticString) {
    waiting.append(contentsOf: "event: ".utf8)
    waiting.append(contentsOf: name.description.utf8)
    waiting.append(contentsOf: "\ndata: {\"now\":".utf8)
    waiting.appendSeconds(nanoseconds: loop.now.nanoseconds)
  }
}
