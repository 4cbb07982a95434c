// Who gets a connection when there are too many.

import EventLoop
import HTTP
import Linux
import RequestRows
import Testing
import Time

@testable import HTTPServing

struct AdmissionTests {
  private func address(_ host: String) throws -> InternetAddress { try #require(InternetAddress(host, port: 1)) }

  private func decide(
    _ peer: String?, among present: [(peer: String?, idle: Int?)], limits: HTTPLimits = HTTPLimits()
  ) throws -> Admission.Decision {
    let now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let places = try present.map { place in
      Admission.Place(
        peer: try place.peer.map(address),
        idleSince: place.idle.map { MonotonicTime(nanoseconds: now.nanoseconds - Int64($0) * 1_000_000) })
    }
    return Admission(limits: limits).decide(peer.flatMap { InternetAddress($0, port: 2) }, among: places, at: now)
  }

  @Test("an address gets 16 connections, and a Unix socket as many as there are")
  func addresses() throws {
    let crowd = Array(repeating: (peer: "10.0.0.1" as String?, idle: nil as Int?), count: 16)
    #expect(try decide("10.0.0.1", among: Array(crowd.dropLast())) == .free)
    #expect(
      try decide("10.0.0.1", among: crowd) == .full("your address has all its 16 connections in use"))
    #expect(try decide("10.0.0.2", among: crowd) == .free)
    #expect(try decide("::1", among: crowd) == .free)
    #expect(try decide("::ffff:10.0.0.1", among: crowd) != .free, "the same address in another form")
    #expect(try decide(nil, among: Array(repeating: (nil, nil), count: 63)) == .free)
    #expect(
      try decide(nil, among: Array(repeating: (nil, nil), count: 64)) == .full("all 64 connections are in use"))
  }

  @Test("a newcomer displaces the connection that has been idle longest, of its own address if that has too many")
  func idle() throws {
    var present = Array(repeating: (peer: "10.0.0.1" as String?, idle: nil as Int?), count: 16)
    present += Array(repeating: (peer: nil, idle: nil), count: 48)
    present[60].idle = 20_000
    present[61].idle = 30_000
    #expect(try decide("10.0.0.2", among: present) == .inPlaceOf(61))
    #expect(try decide("10.0.0.1", among: present) == .full("your address has all its 16 connections in use"))
    present[3].idle = 2000
    #expect(try decide("10.0.0.1", among: present) == .inPlaceOf(3))
    present[61].idle = nil
    present[60].idle = 999
    present[3].idle = 500
    #expect(try decide("10.0.0.2", among: present) == .full("all 64 connections are in use"), "all are too young")
  }

  @Test("the 65th connection is refused with an answer, and the others are served")
  func full() throws {
    let world = try ServerWorld()
    world.handler.script = { $0.extendLimit(to: .seconds(100)) }
    let clients = try (0..<64).map { _ in try world.connect() }
    for client in clients { try client.send(plainRequest) }
    try world.settle()
    let late = try world.connect()
    try world.settle()
    #expect(late.received.isEmpty && !late.hasEnded, "the answer comes when the client asks")
    try late.send(plainRequest)
    try world.settle()
    #expect(late.statuses == [503] && late.hasEnded && !late.wasReset)
    #expect(late.answers.first?.body == "all 64 connections are in use\n")
    #expect(world.server.connectionCount == 64)
    for exchange in world.handler.exchanges { exchange.answer(HTTPResponse(.ok, type: "text/plain", "served")) }
    try world.settle()
    #expect(clients.allSatisfy { $0.answers.map(\.body) == ["served"] })
    try world.run(for: .seconds(1))
    let next = try world.connect()
    try next.send(plainRequest)
    try world.settle()
    #expect(world.handler.exchanges.count == 65 && clients.count { $0.hasEnded } == 1, "an idle one makes room")
  }

  @Test("a flood of connections that are refused is closed")
  func flood() throws {
    let world = try ServerWorld()
    world.handler.script = { _ in }
    let clients = try (0..<64).map { _ in try world.connect() }
    for client in clients { try client.send(plainRequest) }
    try world.settle()
    let flood = try (0..<100).map { _ in try world.connect() }
    try world.settle()
    #expect(flood.count { $0.hasEnded } == 68 && clients.allSatisfy { !$0.hasEnded })
    #expect(flood.suffix(32).allSatisfy { !$0.hasEnded }, "the newest can still read that they are refused")
  }

  @Test("the 17th connection of an address is refused with an answer, and other clients are served")
  func address() throws {
    let world = try ServerWorld(.boot)
    world.handler.script = { exchange in
      if exchange.request.target.path.isEmpty { exchange.answer(HTTPResponse(.noContent)) }
    }
    let address = try world.server.listen(on: .loopback(port: 0), name: "web")
    let clients = try (0..<16).map { _ in try world.connect(to: address) }
    for client in clients { try client.send(requestHead("GET /wait HTTP/1.1", "Host: bike")) }
    #expect(try world.run { world.handler.exchanges.count == 16 })
    let late = try world.connect(to: address)
    try late.send(plainRequest)
    #expect(try world.run { late.hasEnded })
    #expect(late.statuses == [503] && !late.wasReset)
    let front = try world.connect()
    try front.send(plainRequest)
    #expect(try world.run { front.statuses == [204] })
    #expect(clients.allSatisfy { !$0.hasEnded })
    world.server.close()
  }
}
