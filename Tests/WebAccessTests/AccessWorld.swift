// A gate with one paired screen for each right, a clock that moves on with each request, and requests
// as browsers send them.

import HTTP
import ProgramKit
import TestSupport
import Testing
import Time

@testable import WebAccess

/// Counts up, so that no two secrets are alike.
final class CountedBytes {
  private var count: UInt8 = 0

  func make(_ length: Int) -> [UInt8] {
    count += 1
    return [UInt8](repeating: count, count: length)
  }
}

final class LogLines {
  private(set) var text = ""
  func add(_ line: String) { text += line }
}

final class AccessWorld {
  let folder: TemporaryFolder
  let lines = LogLines()
  let bytes = CountedBytes()
  private(set) var phones: PhoneStore
  private(set) var pairing: PhonePairing
  private(set) var gate: Gate
  private(set) var tokens: [Right: Secret] = [:]
  private(set) var seconds = 1000.0

  static let settings = Gate.Settings(names: ["Bike.local", "bike.example"])
  static let loopback = Arrival.loopback(address: "127.0.0.1", port: 8080)
  static let loopback6 = Arrival.loopback(address: "::1", port: 8080)
  static let lan = Arrival.lan(address: "192.168.1.20", port: 8081)
  static let arrivals = [loopback, loopback6, lan, .front]

  init(_ settings: Gate.Settings = AccessWorld.settings) throws {
    folder = try TemporaryFolder()
    let log = Log(level: .debug, write: lines.add)
    phones = PhoneStore(folder: folder.path, file: "phones.json", log: log, random: bytes.make)
    pairing = PhonePairing(phones, log: log, random: bytes.make)
    gate = Gate(phones, settings)
    for right in Right.allCases { tokens[right] = try pair(right) }
  }

  /// The server starts again with its files.
  func restart() {
    let log = Log(level: .debug, write: lines.add)
    phones = PhoneStore(folder: folder.path, file: "phones.json", log: log, random: bytes.make)
    pairing = PhonePairing(phones, log: log, random: bytes.make)
    gate = Gate(phones, Self.settings)
  }

  var monotonic: MonotonicTime { MonotonicTime(seconds: seconds) }
  var now: RequestTime { RequestTime(monotonic, calendar: WallTime(seconds: 1_800_000_000 + Int64(seconds))) }
  func pass(_ seconds: Double) { self.seconds += seconds }

  func pair(_ right: Right, name: String? = nil, replacing: Bool = false) throws -> Secret {
    let invitation = try Invitation(name: name ?? "screen \(right)", right: right, replacesNamesakes: replacing)
    let code = pairing.makeLinkCode(invitation, now: monotonic).code
    return try pairing.redeem(code, now: now).token
  }

  /// The status with which the request is refused; 200 if it is granted.
  func status(_ request: HTTPRequest, _ arrival: Arrival) -> Int {
    pass(1)
    do throws(AccessRefusal) {
      _ = try gate.judge(request, arrival, now: now)
      return 200
    } catch {
      return error.status.rawValue
    }
  }
}

extension Arrival {
  /// How a browser names this server.
  var usualHost: String {
    switch self {
    case .loopback(let address, let port), .lan(let address, let port):
      address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    case .front: "bike.local"
    }
  }
}

/// A request as a browser sends it for our page. A field with the value nil is omitted.
func browserRequest(
  _ method: HTTPMethod, _ path: String, _ arrival: Arrival, token: Secret? = nil, content: String = "application/json",
  changing changes: [String: String?] = [:]
) throws -> HTTPRequest {
  var fields: [String: String] = ["Host": arrival.usualHost, "Sec-Fetch-Site": "same-origin"]
  if let token { fields["Cookie"] = "theme=dark; cyclometer=\(token.reveal())" }
  if method != .get, method != .head {
    fields["Origin"] = arrival.origin(ofHost: arrival.usualHost)
    fields["Content-Type"] = content
    fields["X-Cyclometer"] = "1"
    fields["Content-Length"] = "0"
  }
  for (name, value) in changes { fields[name] = value }
  let lines = fields.map { "\($0): \($1)\r\n" }.joined()
  var parser = RequestParser()
  parser.append(Array("\(method.rawValue) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8).span)
  guard case .request(let request) = parser.next() else { throw HTTPRefusal(.internalError, "\(method) \(path)") }
  return request
}

extension WebRoute {
  /// A path that a client could request.
  var example: String {
    "/"
      + path.map { segment in
        switch segment {
        case .word(let word): word
        case .value: "12"
        case .choice(_, let words): words[0]
        case .rest: "some/thing.js"
        }
      }.joined(separator: "/")
  }

  var right: Right? {
    if case .needs(let right) = access { right } else { nil }
  }
}
