// One connection of a client: reads a request, has it answered, then reads the next one. At most
// one request per iteration of the loop, so that a client which sends many keeps no other waiting.

import EventLoop
import HTTP
import Linux
import Time

final class HTTPConnection {
  private enum Phase {
    /// A request, or the time between two.
    case reading
    /// The connection is above a limit, and gets this answer when its request arrives. Browsers
    /// discard an answer that comes before they ask.
    case refused(HTTPResponse)
    case answering(HTTPExchange)
    case sending(HTTPExchange?, keepsConnection: Bool)
    case streaming(EventReader)
    /// The last answer is sent. What is still read is discarded, up to a limit.
    case leaving(rest: Int)
    case closed
  }

  /// What of a request has been read. Each part has its time.
  private enum Part { case nothing, head, body }

  let origin: ConnectionOrigin
  private let loop: EventLoop
  private let socket: FileDescriptor
  private let limits: HTTPLimits
  private weak var server: HTTPServer?
  private var watch: Watch?
  private var deadline: Deadline?
  private var hook: Hook?
  private var parser: RequestParser
  private var output = ResponseWriter()
  private var phase = Phase.reading
  /// The first request counts from connecting.
  private var part = Part.head
  private var requests = 0
  /// When the time of this phase is over; nil if it has no limit.
  private var limit: MonotonicTime?
  private var idleSince: MonotonicTime?
  /// The bytes of a file that the exchange asked for.
  private var wanted: (count: Int, deliver: ([UInt8]) -> Void)?
  /// Another request may be in the parser. It is handled at the end of this iteration.
  private var hasMore = false
  /// The connection is closed at the end of this iteration.
  private var isBroken = false

  init(_ socket: consuming FileDescriptor, _ origin: ConnectionOrigin, _ server: HTTPServer, loop: EventLoop)
    throws(SystemError)
  {
    self.socket = socket
    self.origin = origin
    self.server = server
    self.loop = loop
    limits = server.limits
    parser = RequestParser(server.limits.request)
    idleSince = loop.now
    limit = loop.now + server.limits.headTime
    hook = loop.makeHook { [weak self] in self?.endTurn() }
    watch = try loop.watch(self.socket.number, for: .readable) { [weak self] ready in self?.serve(ready) }
    settle()
  }

  var now: MonotonicTime { loop.now }

  /// Whether it counts towards the limits.
  var isInUse: Bool {
    switch phase {
    case .reading, .answering, .sending, .streaming: true
    case .refused, .leaving, .closed: false
    }
  }

  /// This connection as others see it when they arrive.
  var place: Admission.Place { Admission.Place(peer: origin.peerAddress, idleSince: idleSince) }

  func refuse(with response: HTTPResponse) {
    phase = .refused(response)
    settle()
  }

  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    deadline?.cancel()
    server?.closed(self)
    let last = phase
    phase = .closed
    wanted = nil
    switch last {
    case .answering(let exchange), .sending(.some(let exchange), _): exchange.abandon()
    case .streaming(let reader): reader.end()
    case .reading, .refused, .sending, .leaving, .closed: break
    }
  }

  /// Not at once: the owner of an exchange or a reader calls this too, and closing calls that owner.
  func closeLater() {
    isBroken = true
    hook?.schedule()
  }

  private func endTurn() {
    guard !isBroken else { return close() }
    readRequest()
    deliverFile()
    settle()
  }
}

// MARK: Waiting

extension HTTPConnection {
  private func serve(_ ready: Interest) {
    guard !isBroken else { return }
    let isGone = !ready.isDisjoint(with: [.hangUp, .failed])
    switch phase {
    case .reading, .refused, .leaving:
      if ready.contains(.writable) { write() }
      // The rest of what the client sent comes first.
      if !hasMore, isGone || ready.contains(.readable) { read() }
    case .answering:
      if isGone || ready.contains(.inputEnded) { return close() }
      if ready.contains(.writable) { write() }
      if wanted != nil, ready.contains(.readable) { read() }
    case .sending:
      if isGone || output.isWaitingForSource && ready.contains(.inputEnded) { return close() }
      write()
    case .streaming(let reader):
      if isGone || ready.contains(.inputEnded) { return close() }
      write()
      if output.isFinished { reader.resume() }
    case .closed: return
    }
    settle()
  }

  /// Brings what the loop watches and the time limit up to date.
  func settle() {
    guard let watch else { return }
    var interest: Interest = output.isFinished || output.isWaitingForSource ? [] : .writable
    switch phase {
    case .reading:
      interest.insert(.readable)
      startPart()
    case .refused, .leaving: interest.insert(.readable)
    case .answering:
      interest.insert(.inputEnded)
      if wanted != nil { interest.insert(.readable) }
    case .sending: if output.isWaitingForSource { interest.insert(.inputEnded) }
    case .streaming(let reader):
      interest.insert(.inputEnded)
      if reader.stalledSince != nil { interest.insert(.writable) }
      limit = reader.stalledSince.map { $0 + limits.stallTime }
    case .closed: return
    }
    do throws(SystemError) {
      try watch.change(to: interest)
    } catch {
      closeLater()
    }
    setDeadline()
  }

  private func setDeadline() {
    guard let limit else {
      deadline?.cancel()
      return
    }
    guard let deadline else {
      deadline = loop.schedule(at: limit) { [weak self] in self?.timeIsUp() }
      return
    }
    if !deadline.isPending || deadline.time != limit { deadline.set(to: limit) }
  }

  private func timeIsUp() {
    switch phase {
    case .reading where parser.hasBegun:
      refuse(HTTPRefusal(.timeout, "the request did not arrive in time"))
    case .answering(let exchange):
      let refusal =
        wanted == nil
        ? HTTPRefusal(.unavailable, "the answer was not there in time")
        : HTTPRefusal(.timeout, "the file did not arrive in time")
      refuse(refusal, headOnly: exchange.request.method == .head)
      exchange.abandon()
    case .reading, .refused, .sending, .streaming, .leaving, .closed:
      close()
    }
  }
}

// MARK: In

extension HTTPConnection {
  private func read() {
    guard let server else { return close() }
    var buffer: [UInt8] = []
    server.swapReadBuffer(with: &buffer)
    defer { server.swapReadBuffer(with: &buffer) }
    do throws(SystemError) {
      guard case .done(let count) = try socket.read(into: &buffer) else { return }
      guard count > 0 else { return close() }
      took(buffer.span.extracting(..<count))
    } catch {
      close()
    }
  }

  private func took(_ bytes: Span<UInt8>) {
    switch phase {
    case .reading:
      idleSince = nil
      parser.append(bytes)
      readRequest()
    case .refused(let response): sendLast(response)
    case .leaving(let rest):
      guard bytes.count <= rest else { return close() }
      phase = .leaving(rest: rest - bytes.count)
    case .answering:
      parser.append(bytes)
      deliverFile()
    case .sending, .streaming, .closed: break
    }
  }

  private func readRequest() {
    hasMore = false
    guard case .reading = phase else { return }
    switch parser.next() {
    case .incomplete: break
    case .continueExpected:
      output.start(head: HTTPResponse.goOn)
      write()
    case .request(let request):
      requests += 1
      let exchange = HTTPExchange(request, self)
      phase = .answering(exchange)
      limit = loop.now + limits.answerTime
      server?.handle(exchange)
    case .refused(let refusal): refuse(refusal)
    }
  }

  func readFile(of exchange: HTTPExchange, _ count: Int, _ deliver: @escaping ([UInt8]) -> Void) {
    guard isAnswering(exchange), parser.fileRest > 0 else { return }
    wanted = (count, deliver)
    limit = loop.now + limits.bodyTime
    if parser.startFile() {
      output.start(head: HTTPResponse.goOn)
      write()
    }
    // The bytes may have arrived with the request.
    hook?.schedule()
  }

  private func deliverFile() {
    guard let (count, deliver) = wanted, let piece = parser.readFile(count) else { return }
    wanted = nil
    limit = loop.now + limits.answerTime
    deliver(piece)
  }

  /// Sets the time of what is read next.
  private func startPart() {
    let next: Part = parser.isReadingBody ? .body : parser.hasBegun || requests == 0 ? .head : .nothing
    guard next != part else { return }
    part = next
    switch part {
    case .nothing: limit = loop.now + limits.idleTime
    case .head: limit = loop.now + limits.headTime
    case .body: limit = loop.now + limits.bodyTime
    }
  }
}

// MARK: Out

extension HTTPConnection {
  func answer(_ exchange: HTTPExchange, _ response: HTTPResponse, from source: (any BodySource)?) {
    guard isAnswering(exchange) else { return }
    let request = exchange.request
    let keepsConnection =
      request.keepsConnection && requests < limits.requestsOfConnection && parser.fileRest == 0
      && response.canBeFollowed(isVersion11: request.isVersion11)
    let head = response.head(keepsConnection: keepsConnection, isVersion11: request.isVersion11)
    let hasBody = request.method != .head && response.status.hasBody
    wanted = nil
    if hasBody, let source, case .pieces(let length) = response.body {
      output.start(head: head, source, length: length, inChunks: request.isVersion11)
      phase = .sending(exchange, keepsConnection: keepsConnection)
      limit = loop.now + limits.stallTime
      // The source is asked when the socket is writable, and never in this call of its owner.
      return settle()
    }
    exchange.finish()
    var body: [UInt8] = []
    if hasBody, case .bytes(let bytes) = response.body { body = bytes }
    send(head, body, keepsConnection: keepsConnection)
  }

  func resume(_ exchange: HTTPExchange) {
    guard case .sending(.some(let current), _) = phase, current === exchange else { return }
    output.resume()
    limit = loop.now + limits.stallTime
    settle()
  }

  func extendLimit(of exchange: HTTPExchange, to span: Duration) {
    guard isAnswering(exchange) else { return }
    limit = loop.now + span
    settle()
  }

  func open(
    _ exchange: HTTPExchange, _ response: HTTPResponse, _ channel: EventChannel, _ greeting: [UInt8],
    _ ended: (() -> Void)?
  ) -> EventReader? {
    guard isAnswering(exchange) else { return nil }
    exchange.finish()
    guard exchange.request.method != .head else {
      send(response.head(keepsConnection: false), keepsConnection: false)
      return nil
    }
    // What is in the kernel's buffers cannot be replaced by a newer frame. A socket that does not
    // know these options still works.
    try? StreamSocket.setSendBuffer(socket.number, bytes: EventReader.sendBuffer)
    if origin.peerAddress != nil { try? TCPSocket.setUnsentLimit(socket.number, bytes: EventReader.mostUnsent) }
    output.start(head: response.head(keepsConnection: false), body: greeting)
    let reader = EventReader(self, socket.number, channel, ended)
    phase = .streaming(reader)
    settle()
    return reader
  }

  private func isAnswering(_ exchange: HTTPExchange) -> Bool {
    if case .answering(let current) = phase { current === exchange } else { false }
  }

  private func refuse(_ refusal: HTTPRefusal, headOnly: Bool = false) {
    wanted = nil
    sendLast(server?.answer(to: refusal) ?? HTTPResponse(refusal), headOnly: headOnly)
  }

  private func sendLast(_ response: HTTPResponse, headOnly: Bool = false) {
    var body: [UInt8] = []
    if !headOnly, case .bytes(let bytes) = response.body { body = bytes }
    send(response.head(keepsConnection: false), body, keepsConnection: false)
  }

  private func send(_ head: [UInt8], _ body: [UInt8] = [], keepsConnection: Bool) {
    output.start(head: head, body: body)
    phase = .sending(nil, keepsConnection: keepsConnection)
    limit = loop.now + limits.stallTime
    write()
    settle()
  }

  private func write() {
    guard !output.isFinished else { return }
    do throws(SystemError) {
      if try output.write(to: socket.number) > 0, case .sending = phase { limit = loop.now + limits.stallTime }
    } catch {
      return closeLater()
    }
    if output.hasFailed { return closeLater() }
    if output.isFinished, case .sending(let exchange, let keepsConnection) = phase {
      exchange?.finish()
      keepsConnection ? readNext() : leave()
    }
  }

  private func readNext() {
    phase = .reading
    hasMore = parser.hasBegun
    // Otherwise the time of the last part would go on.
    part = .nothing
    limit = loop.now + limits.idleTime
    if hasMore { hook?.schedule() } else { idleSince = loop.now }
  }

  private func leave() {
    // A client reads its answer only after it has sent its file.
    let fileRest = parser.fileRest
    phase = .leaving(rest: limits.farewellBytes + fileRest)
    limit = loop.now + (fileRest > 0 ? limits.bodyTime : limits.farewellTime)
    do throws(SystemError) {
      try StreamSocket.shutdownWrite(socket.number)
    } catch {
      closeLater()
    }
  }
}
