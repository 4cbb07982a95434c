// A receiver as the broker's messages reach it. Others may send anything on `want` and `do`. Only wanted
// values are published, at most as often as a want can ask for, and an hour after the last want
// nothing is. A request is passed on only if it is allowed and in time, and its answer has its id.

import Fleet
import Fuzzing
import JSON
import Time
import Wire

struct FuzzReceiver {
  private static let kinds = ["heart_rate", "power", "radar", "tire_pressure"]
  private static let prefix = "cyclometer/v1/home/bike-7/now/strap/"
  private static let longestWant = Duration.seconds(3600)
  private static let longestWait = Duration.seconds(600)
  private static let shortestPause = Duration.milliseconds(250)

  private struct Message {
    let topic: String
    let payload: [UInt8]
  }

  private var board: LiveBoard
  private let control = RemoteControl(allowing: [.ride])
  private var reader = RecordReader()
  private var now = MonotonicTime(seconds: 10)
  /// It runs with `now`.
  private var wall = WallTime(seconds: 1_795_000_000)
  private var isConnected = false
  private var sequence = 0
  /// Since the last connection, by topic.
  private var lastPublished: [String: MonotonicTime] = [:]

  init() {
    guard let group = FleetName("home"), let receiver = FleetName("bike-7") else { fatalError("names are refused") }
    board = LiveBoard(topics: FleetTopics(group: group, receiver: receiver), mode: .wanted)
    board.connected(instance: "fuzzed")
    connect()
  }

  mutating func play(_ action: UInt8, _ message: [UInt8]) {
    switch action {
    case UInt8(ascii: "w"): want(message, isRetained: false, wall)
    case UInt8(ascii: "W"): want(message, isRetained: true, wall)
    case UInt8(ascii: "n"): want(message, isRetained: false, nil)
    case UInt8(ascii: "N"): want(message, isRetained: true, nil)
    case UInt8(ascii: "d"): request(message, isRetained: false, wall)
    case UInt8(ascii: "D"): request(message, isRetained: true, wall)
    case UInt8(ascii: "e"): request(message, isRetained: false, nil)
    case UInt8(ascii: "s"): for byte in message { measure(Self.kinds[Int(byte) % Self.kinds.count]) }
    case UInt8(ascii: "t"): for byte in message { pass(.milliseconds(10 * Int(byte) * Int(byte))) }
    case UInt8(ascii: "c"): connect()
    case UInt8(ascii: "x"):
      isConnected = false
      board.brokerDisconnected()
    default: break
    }
  }
}

// MARK: Wants

extension FuzzReceiver {
  private mutating func want(_ message: [UInt8], isRetained: Bool, _ wall: WallTime?) {
    let before = board.end(after: now)
    do throws(FleetProblem) {
      let want = try LiveWant(message.span, isRetained: isRetained, at: now, wall: wall)
      require(wall != nil || !isRetained, "a kept want is taken without a clock")
      show("want: accepted")
      let now = now
      publish { $0.add(want, at: now, $1) }
    } catch {
      show("\(error)")
      require(error.description.hasPrefix("want: "), "a refused want without its topic: \(error)")
      require(board.end(after: now) == before, "a refused want has an effect")
    }
    if let end = board.end(after: now) { require(end - now <= Self.longestWant, "a want lasts for \(end - now)") }
  }

  private mutating func measure(_ kind: String) {
    sequence += 1
    let head = #"{"class":"sample","sensor":"strap","kind":"\#(kind)","#
    let line = Array((head + #""seq":\#(sequence),"t":\#(now.seconds),"age_ms":0,"n":1}"#).utf8)
    require(reader.read(line.span), "a sample is not read")
    let (record, now) = (reader, now)
    publish { $0.add(line.span, record, at: now, $1) }
  }

  private mutating func connect() {
    isConnected = true
    lastPublished = [:]
    let now = now
    publish { $0.brokerConnected(at: now, $1) }
  }

  /// What is due meanwhile is published.
  private mutating func pass(_ span: Duration) {
    let end = now + span
    while let deadline = board.deadline(at: now), deadline <= end {
      require(deadline > now, "at \(now) something is due, and was not published")
      move(to: deadline)
      let now = now
      publish { $0.timePassed(at: now, $1) }
    }
    move(to: end)
  }

  private mutating func move(to time: MonotonicTime) {
    wall = wall - (now - time)
    now = time
  }

  private mutating func publish(_ change: (inout LiveBoard, LiveBoard.Sink) -> Void) {
    var messages: [Message] = []
    change(&board) { topic, payload in
      messages.append(
        Message(
          topic: String(decoding: topic.indices.map { topic[$0] }, as: UTF8.self),
          payload: payload.indices.map { payload[$0] }))
      return true
    }
    require(messages.isEmpty || isConnected, "values are published without a connection")
    require(messages.isEmpty || board.end(after: now) != nil, "values are published, and nothing is wanted")
    for message in messages { check(message) }
  }

  private mutating func check(_ message: Message) {
    show("  publishes \(message.topic)")
    require(message.topic.hasPrefix(Self.prefix), "a topic: \(message.topic)")
    let record = try? JSONValue.parse(message.payload)
    let isWhole = record?["instance"] == "fuzzed" && record?["n"] == 1
    require(isWhole, "a payload: \(String(decoding: message.payload, as: UTF8.self))")
    if let last = lastPublished[message.topic], !message.topic.hasSuffix("/radar") {
      require(now - last >= Self.shortestPause, "\(message.topic) comes again after \(now - last)")
    }
    lastPublished[message.topic] = now
  }
}

// MARK: Requests

extension FuzzReceiver {
  private func request(_ message: [UInt8], isRetained: Bool, _ wall: WallTime?) {
    do throws(ErrorRecord) {
      let request = try control.request(message.span, isRetained: isRetained, at: now, wall: wall)
      show("do: \(request.method)")
      require(!isRetained, "a kept request is passed on")
      require(request.method == .ride, "\(request.method) is not allowed")
      let wait = request.deadline - now
      require(wait > .zero && wait <= Self.longestWait, "a request waits for \(wait)")
      let id = (try? JSONValue.parse(message))?["id"]
      for answer in [request.answer(request.params), request.refusal("busy", "wait"), request.expiry] {
        require((try? JSONValue.parse(answer))?["id"] == id, "another id: \(String(decoding: answer, as: UTF8.self))")
      }
    } catch {
      show("do: \(error.message)")
      let payload = try? JSONValue.parse(error.payload)
      require(payload?["message"]?.text?.isEmpty == false && payload?["class"] == "error", "a refusal without words")
    }
  }
}
