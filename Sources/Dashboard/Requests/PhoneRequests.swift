// Letting screens in, and listing and revoking them, for pages and for web.sock.

import EventLoop
import HTTP
import HTTPServing
import JSON
import Linux
import ProgramKit
import QRCodes
import Time
import WebAccess

/// What one screen needs to be let in.
struct PhoneLink {
  let url: String
  /// To be typed; nil with the right `manage`.
  let digits: String?
  let right: Right
  /// Whether only this computer can open the URL.
  let isLocal: Bool
}

final class PhoneRequests {
  private let loop: EventLoop
  private let phones: PhoneStore
  private let pairing: PhonePairing
  private let streams: PageStreams
  /// Where a phone reaches this server.
  private let address: () -> PageAddress

  init(
    _ phones: PhoneStore, _ pairing: PhonePairing, _ streams: PageStreams, loop: EventLoop,
    address: @escaping () -> PageAddress
  ) {
    (self.phones, self.pairing, self.streams) = (phones, pairing, streams)
    (self.loop, self.address) = (loop, address)
  }

  var now: RequestTime { RequestTime(loop.now, calendar: Clock.wallTime) }
  var all: [Phone] { phones.all }

  /// A link with the name of the kiosk replaces the kiosk, which pairs at each start.
  static let kiosk = "kiosk"

  func makeLink(_ name: String?, _ right: Right, at address: PageAddress? = nil) throws(AccessRefusal) -> PhoneLink {
    let invitation = try Invitation(name: name ?? "Phone", right: right, replacesNamesakes: name == Self.kiosk)
    let codes = pairing.makeCodes(invitation, now: loop.now)
    let address = address ?? self.address()
    return PhoneLink(
      url: "\(address.origin)/pair#\(codes.link.code.reveal())", digits: codes.typed?.code.reveal(), right: right,
      isLocal: address.isLocal)
  }

  func revoke(_ id: Int) throws(AccessRefusal) {
    _ = try phones.revoke(id)
    streams.closeStreams(exceptOf: phones.all)
  }

  /// Returns how many there were.
  func revokeAll() throws(AccessRefusal) -> Int {
    let all = phones.all
    for phone in all { try revoke(phone.id) }
    return all.count
  }
}

// MARK: Requests of pages

extension PhoneRequests {
  /// `{"code":"…"}`, which is the proof. The answer has the token as a cookie.
  func pair(_ exchange: HTTPExchange, _ arrival: Arrival) {
    guard let body = exchange.object() else { return }
    guard let code = body["code"]?.text else { return exchange.refuse(.badRequest, "code is missing") }
    respond(exchange) { () throws(AccessRefusal) in
      let (phone, token) = try pairing.redeem(Secret(code), now: now)
      streams.closeStreams(exceptOf: phones.all)
      return .json { phone.write(into: &$0) }.setting("Set-Cookie", TokenCookie.setting(token, for: arrival))
    }
  }

  /// `own` is the screen that asks.
  func list(_ exchange: HTTPExchange, _ grant: Grant) {
    exchange.reply(
      .json { writer in
        writer.beginObject()
        writer.member("own", grant.phone?.id)
        writer.member("phones")
        writer.beginArray()
        for phone in all { phone.write(into: &writer) }
        writer.endArray()
        writer.endObject()
      })
  }

  /// `{"right":"ride","name":"…"}`; both can be left out.
  func invite(_ exchange: HTTPExchange, _ arrival: Arrival) {
    guard let body = exchange.object() else { return }
    let wanted = body["right"] ?? .string(Right.ride.rawValue)
    guard let right = wanted.text.flatMap(Right.init) else {
      return exchange.refuse(.badRequest, "right has to be \(Right.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let own = arrival.isEncrypted ? exchange.request.fields["host"] : nil
    respond(exchange) { () throws(AccessRefusal) in
      let link = try makeLink(
        body["name"]?.text, right, at: own.map { PageAddress(origin: "https://" + $0, isLocal: false) })
      return .json { link.write(into: &$0) }
    }
  }

  func revoke(_ exchange: HTTPExchange, _ grant: Grant) {
    guard let id = grant.values["id"].flatMap({ Int($0) }) else {
      return exchange.refuse(.notFound, "the id of a screen is a number")
    }
    respond(exchange) { () throws(AccessRefusal) in
      try revoke(id)
      return HTTPResponse(.noContent).uncached
    }
  }

  private func respond(_ exchange: HTTPExchange, _ body: () throws(AccessRefusal) -> HTTPResponse) {
    do throws(AccessRefusal) {
      exchange.reply(try body())
    } catch {
      exchange.reply(error.response.uncached)
    }
  }
}

extension PhoneLink {
  /// The modules of the URL's QR code are rows of 0 and 1, which a page or `cyclo` draws.
  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("url", url)
    writer.member("digits", digits)
    writer.member("right", right.rawValue)
    writer.member("valid_s", Int(PhonePairing.lifetime / .seconds(1)))
    writer.member("local", isLocal)
    writer.member("modules", QRCode(url)?.rows)
    writer.endObject()
  }
}
