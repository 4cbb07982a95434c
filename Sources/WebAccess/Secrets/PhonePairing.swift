// Pairing: a code that was made at the bike lets one screen in, once and for two minutes. Codes are
// only in memory, so a restart withdraws them.

import Digests
import HTTP
public import ProgramKit
public import Time

public struct PairingCode: Sendable {
  public let code: Secret
  public let expires: MonotonicTime
}

public final class PhonePairing {
  public static let lifetime = Duration.seconds(120)
  static let codeLength = 16
  static let digits = 8
  /// So many wrong codes close pairing until the first of them is a minute ago. With eight digits,
  /// that leaves less than one chance in a million to guess a code.
  static let mostWrong = 5
  static let wrongWindow = Duration.seconds(60)
  private static let mostOpen = 8
  /// Codes that are remembered after their end, so that a refusal can give the reason.
  private static let mostEnded = 32

  private struct OpenCode {
    let digest: SHA256
    let invitation: Invitation
    let expires: MonotonicTime
    /// Codes with the same number let in one screen together.
    let number: Int
  }

  private enum End {
    case used, expired
  }

  private let phones: PhoneStore
  private let log: Log
  private let random: (Int) -> [UInt8]
  private var open: [OpenCode] = []
  private var lastNumber = 0
  private var ended: [(digest: SHA256, end: End)] = []
  /// When codes were wrong, within the last minute.
  private var wrong: [MonotonicTime] = []

  /// `random` makes so many random bytes.
  public init(_ phones: PhoneStore, log: Log, random: @escaping (Int) -> [UInt8]) {
    self.phones = phones
    self.log = log
    self.random = random
  }

  /// A code for a link, which is scanned or opened.
  public func makeLinkCode(_ invitation: Invitation, now: MonotonicTime) -> PairingCode {
    lastNumber += 1
    return add(Secret(random: random(Self.codeLength)), invitation, now)
  }

  /// A code for a link and, unless it would give `manage`, one that is typed. When one is used, the
  /// other is withdrawn.
  public func makeCodes(_ invitation: Invitation, now: MonotonicTime) -> (link: PairingCode, typed: PairingCode?) {
    let link = makeLinkCode(invitation, now: now)
    guard invitation.right <= .ride else { return (link, nil) }
    return (link, add(randomDigits(), invitation, now))
  }

  /// A code of eight digits, which is typed. Because it can be guessed more easily, it does not let
  /// in with `manage`.
  public func makeTypedCode(_ invitation: Invitation, now: MonotonicTime) throws(AccessRefusal) -> PairingCode {
    guard invitation.right <= .ride else {
      throw AccessRefusal(.badRequest, "a code that is typed gives the right ride at most: use the link")
    }
    lastNumber += 1
    return add(randomDigits(), invitation, now)
  }

  private func randomDigits() -> Secret {
    let number = random(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let text = String(number % 100_000_000)
    return Secret(String(repeating: "0", count: Self.digits - text.utf8.count) + text)
  }

  private func add(_ code: Secret, _ invitation: Invitation, _ now: MonotonicTime) -> PairingCode {
    expire(now)
    if open.count == Self.mostOpen { end(open[0], .expired) }
    let expires = now + Self.lifetime
    open.append(OpenCode(digest: code.digest, invitation: invitation, expires: expires, number: lastNumber))
    return PairingCode(code: code, expires: expires)
  }

  /// Lets the screen in that shows this code, and returns its token. If the phone cannot be saved,
  /// the code stays valid.
  public func redeem(_ code: Secret, now: RequestTime) throws(AccessRefusal) -> (phone: Phone, token: Secret) {
    expire(now.monotonic)
    try requireOpenWindow(now.monotonic)
    let found = try find(code, now.monotonic)
    let (phone, token) = try phones.add(found.invitation, at: now.calendar)
    for each in open where each.number == found.number { end(each, .used) }
    log.info("paired \(phone.name) with the right \(phone.right.rawValue)")
    return (phone, token)
  }

  /// All are compared, so that the time does not depend on which it is.
  private func find(_ code: Secret, _ now: MonotonicTime) throws(AccessRefusal) -> OpenCode {
    let digest = code.digest
    var found: OpenCode?
    for each in open where each.digest == digest { found = each }
    if let found { return found }
    recordWrong(now)
    var last: End?
    for each in ended where each.digest == digest { last = each.end }
    switch last {
    case .used: throw AccessRefusal(.forbidden, "this code was used already: make a new one at the bike")
    case .expired: throw AccessRefusal(.forbidden, "this code has expired: make a new one at the bike")
    case nil: throw AccessRefusal(.forbidden, "this code is wrong")
    }
  }

  private func expire(_ now: MonotonicTime) {
    for each in open where each.expires <= now { end(each, .expired) }
  }

  private func end(_ code: OpenCode, _ end: End) {
    open.removeAll { $0.digest == code.digest }
    if ended.count == Self.mostEnded { ended.removeFirst() }
    ended.append((code.digest, end))
  }
}

// MARK: Wrong codes

extension PhonePairing {
  private func recordWrong(_ now: MonotonicTime) {
    wrong.append(now)
    guard wrong.count == Self.mostWrong else { return }
    log.warning("pairing: \(Self.mostWrong) wrong codes within a minute, so none is accepted for now")
  }

  private func requireOpenWindow(_ now: MonotonicTime) throws(AccessRefusal) {
    wrong.removeAll { now - $0 >= Self.wrongWindow }
    guard wrong.count >= Self.mostWrong, let first = wrong.first else { return }
    let rest = Int(((first + Self.wrongWindow) - now) / .seconds(1)) + 1
    throw AccessRefusal(
      .tooManyRequests, "\(Self.mostWrong) codes were wrong within a minute: try again in \(rest) s",
      retrySeconds: rest)
  }
}
