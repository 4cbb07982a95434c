// Requests from afar: messages on the topic `do`, answered on `done`. It is off unless the
// configuration says otherwise, and then allows only what it lists. Nothing that the broker kept is
// done, and nothing that has waited too long.

import JSON
public import Time
public import Wire

/// What may be allowed: nothing that pairs sensors or changes settings.
public enum RemoteMethod: String, CaseIterable, Sendable {
  case ride, command
}

/// A request that may be passed on to the daemon.
public struct RemoteRequest: Equatable, Sendable {
  /// How long a request without `until` may wait.
  public static let defaultWait = Duration.seconds(10)
  static let longest = Duration.seconds(600)

  public let id: RequestID
  public let method: RemoteMethod
  public let params: JSONValue
  /// It is not passed on later.
  public let deadline: MonotonicTime
}

public struct RemoteControl: Sendable {
  private let allowed: Set<RemoteMethod>

  /// Who sent a request, for the log: the name that came with the message, if it can be printed.
  public static func sender(_ user: String?) -> String {
    guard let user, 1...64 ~= user.utf8.count, user.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else { return "somebody" }
    return user
  }

  /// Without methods, every request is refused.
  public init(allowing methods: some Sequence<RemoteMethod>) { allowed = Set(methods) }

  /// Throws the answer to a request that is refused. `wall` is nil if the clock is not set.
  public func request(
    _ message: Span<UInt8>, isRetained: Bool, at now: MonotonicTime, wall: WallTime?
  ) throws(ErrorRecord) -> RemoteRequest {
    let request = try Request.parse(message)
    do throws(Refusal) {
      guard !isRetained else {
        throw Refusal(.denied, "the broker kept this request, so it may be old; send it without retain")
      }
      return RemoteRequest(
        id: request.id, method: try method(request.method), params: request.params,
        deadline: now + (try Self.wait(message, wall)))
    } catch {
      throw ErrorRecord(id: request.id, error)
    }
  }

  private func method(_ name: String) throws(Refusal) -> RemoteMethod {
    _ = try Method(name)
    guard let method = RemoteMethod(rawValue: name), allowed.contains(method) else {
      throw Refusal(.denied, "\(name) is not allowed from afar; Control= and Allow= of mqtt.conf decide that")
    }
    return method
  }

  private static func wait(_ message: Span<UInt8>, _ wall: WallTime?) throws(Refusal) -> Duration {
    guard let given = (try? JSONValue.parse(message))?["until"], given != .null else {
      return RemoteRequest.defaultWait
    }
    guard let until = given.text.flatMap(WallTime.init) else {
      throw Refusal(.badRequest, "until is a time, such as 2026-11-22T16:00:00Z")
    }
    guard let wall else { return RemoteRequest.defaultWait }
    let left = until.secondsSince1970 - wall.secondsSince1970
    guard left > 0 else { throw Refusal(.timeout, "the request arrived after its time (until)") }
    return min(RemoteRequest.longest, .seconds(left))
  }
}

// MARK: Answers, the payloads of `done`

extension RemoteRequest {
  /// The daemon's answer.
  public func answer(_ result: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    // A null value would not be written.
    if result == .null { writer.replyLine(id) } else { writer.replyLine(id) { $0.value(result) } }
    return writer.bytes.dropLastLineFeed
  }

  /// The daemon refused it, or it could not be passed on.
  public func refusal(_ code: String, _ message: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginRecord(ErrorRecord.className)
    writer.member("id", id)
    writer.member("code", code)
    writer.member("message", message)
    writer.endObject()
    return writer.bytes
  }

  /// It waited too long for a daemon.
  public var expiry: [UInt8] {
    refusal(ErrorCode.timeout.rawValue, "no daemon took the request in time; see cyclo fleet status")
  }
}

extension [UInt8] {
  fileprivate var dropLastLineFeed: [UInt8] { last == UInt8(ascii: "\n") ? Array(dropLast()) : self }
}
