// The one gate that every request passes before its handler, on every socket. It refuses by default:
// a handler gets a request only with a grant, and only the gate makes grants.

public import HTTP
public import Time

/// What a request may do.
public struct Grant {
  public let route: WebRoute
  public let values: PathValues
  /// The paired screen that asks. On an open route, only if it sent its token.
  public let phone: Phone?
  /// What it may do by this connection, which can be less than the phone's right. Nil without a
  /// token.
  public let right: Right?
  /// For a stream of events. It counts as open as long as this object exists.
  public let permit: StreamPermit?
}

public final class Gate {
  public struct Settings: Equatable, Sendable {
    /// Host names of this server, in lower case.
    let names: [String]
    /// Whether `manage` may be used over plain HTTP in a network.
    let managesInLAN: Bool

    public init(names: [String] = [], managesInLAN: Bool = false) {
      self.names = names.map { $0.lowercased() }
      self.managesInLAN = managesInLAN
    }
  }

  private let phones: PhoneStore
  private var settings: Settings
  private var limits = RateLimits()

  public init(_ phones: PhoneStore, _ settings: Settings) {
    self.phones = phones
    self.settings = settings
  }

  public func change(_ settings: Settings) { self.settings = settings }

  public func judge(_ request: HTTPRequest, _ arrival: Arrival, now: RequestTime) throws(AccessRefusal) -> Grant {
    let host = try requireOwnHost(request, arrival)
    try requireOwnOrigin(request, arrival.origin(ofHost: host))
    let (route, values) = try findRoute(request)
    try requireContent(request, route)
    try requireOwnSite(request, route)
    let phone = TokenCookie.token(in: request.fields).flatMap(phones.holder)
    let permit = try limits.admit(request.method, route.endpoint, phone?.id, at: now.monotonic)
    let right = phone.map { mostRight($0, arrival) }
    if case .needs(let needed) = route.access { try require(needed, right, phone) }
    if let phone { phones.recordUse(of: phone.id, at: now.calendar) }
    return Grant(route: route, values: values, phone: phone, right: right, permit: permit)
  }
}

// MARK: Where a request comes from

extension Gate {
  private func requireOwnHost(_ request: HTTPRequest, _ arrival: Arrival) throws(AccessRefusal) -> String {
    let named = request.fields.values(of: "host")
    guard named.count == 1, let host = arrival.ownHost(named[0], names: settings.names) else {
      throw AccessRefusal(
        .misdirected, "this server has another name: open it by its address, or set Name= in web.conf")
    }
    return host
  }

  /// A page of another origin can send requests, but not lie about its origin. GET changes nothing,
  /// so it need not name one.
  private func requireOwnOrigin(_ request: HTTPRequest, _ own: String) throws(AccessRefusal) {
    let origins = request.fields.values(of: "origin").map { $0.lowercased() }
    if request.isReading {
      guard origins.allSatisfy({ $0 == own }) else { throw Self.foreign }
      return
    }
    guard origins == [own] else { throw Self.foreign }
    let sites = request.fields.values(of: "sec-fetch-site")
    guard sites.allSatisfy({ $0 == "same-origin" }) else { throw Self.foreign }
    // A form cannot set a field, and a script of another origin would have to ask first.
    guard request.fields.values(of: "x-cyclometer") == ["1"] else {
      throw AccessRefusal(.forbidden, "the field X-Cyclometer: 1 is missing")
    }
  }

  /// A cookie belongs to all ports of a host, so a page of another server on this computer can have
  /// the browser read with our token, although it does not see the answer.
  private func requireOwnSite(_ request: HTTPRequest, _ route: WebRoute) throws(AccessRefusal) {
    guard route.access != .open else { return }
    let sites = request.fields.values(of: "sec-fetch-site")
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { throw Self.foreign }
  }

  private static let foreign = AccessRefusal(.forbidden, "the request comes from a page of another origin")

  private func requireContent(_ request: HTTPRequest, _ route: WebRoute) throws(AccessRefusal) {
    guard !request.isReading else { return }
    let types = request.fields.values(of: "content-type").map(mediaType)
    guard types.count == 1, types[0] == route.content.type else {
      throw AccessRefusal(.unsupportedMediaType, "the Content-Type has to be \(route.content.type)")
    }
  }
}

// MARK: What it may do

extension Gate {
  private func findRoute(_ request: HTTPRequest) throws(AccessRefusal) -> (WebRoute, PathValues) {
    switch RouteSearch(request.method, request.target.path) {
    case .found(let route, let values): return (route, values)
    case .unknownPath: throw AccessRefusal(.notFound, "no page has this path")
    case .otherMethods(let allowed):
      let names = allowed.map(\.rawValue).joined(separator: " or ")
      throw AccessRefusal(.methodNotAllowed, "this is requested with \(names)", allowed: allowed)
    }
  }

  /// In a network, a token can be overheard.
  private func mostRight(_ phone: Phone, _ arrival: Arrival) -> Right {
    guard case .lan = arrival, !settings.managesInLAN else { return phone.right }
    return min(phone.right, .ride)
  }

  private func require(_ needed: Right, _ right: Right?, _ phone: Phone?) throws(AccessRefusal) {
    guard let right, let phone else {
      throw AccessRefusal(.unauthorized, "this screen is not paired, or was revoked")
    }
    guard right < needed else { return }
    guard phone.right < needed else {
      throw AccessRefusal(.forbidden, "over plain HTTP in a network a screen may not \(needed.rawValue): use HTTPS")
    }
    throw AccessRefusal(
      .forbidden, "this screen may \(phone.right.rawValue), but \(needed.rawValue) is needed: pair it with that right")
  }
}

extension HTTPRequest {
  /// Changes nothing.
  var isReading: Bool { method == .get || method == .head }
}

/// The time of a request.
public struct RequestTime: Sendable {
  /// For limits.
  public let monotonic: MonotonicTime
  /// For lists; nil while the clock is not set.
  public let calendar: WallTime?

  public init(_ monotonic: MonotonicTime, calendar: WallTime?) {
    self.monotonic = monotonic
    self.calendar = calendar
  }
}
