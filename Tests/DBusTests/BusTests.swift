// A Bus on a real dbus-daemon, in virtual time: calls, their results, and incoming calls.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Time

struct CallTests {
  let world: TestWorld
  let bus: Bus
  let service: Bus

  init() throws {
    world = try TestWorld()
    bus = world.makeBus()
    service = world.makeBus()
    let isConnected = try world.run { [bus, service] in bus.isConnected && service.isConnected }
    #expect(isConnected)
  }

  private func request(_ member: String = "Do", _ arguments: Value...) -> BusMessage {
    BusMessage.call(to: service.connection?.name ?? "", path: "/", interface: "test.Service", member: member).append(
      arguments)
  }

  @Test("a call is answered once, and never from within the call")
  func callAnsweredOnceAndNever() throws {
    service.handleCalls { .reply(BusMessage.reply(to: $0).append(.int32(7))) }
    var answers: [Int32?] = []
    bus.call(request()) { result in
      var reader = try? result.get().reader
      answers.append(reader?.int32())
    }
    #expect(answers.isEmpty)
    try world.run(for: .seconds(60))
    #expect(answers == [7])
  }

  @Test("an error keeps its name and text")
  func errorKeepsNameAndText() throws {
    service.handleCalls { .reply(.error(BusError("org.bluez.Error.Failed", "le-connection-abort-by-local"), to: $0)) }
    var failure: BusError?
    bus.call(request()) { if case .failure(let error) = $0 { failure = error } }
    try world.settle()
    #expect(failure == BusError("org.bluez.Error.Failed", "le-connection-abort-by-local"))
  }

  @Test("a call times out on time, and a late reply is dropped")
  func callTimesOutOnTime() throws {
    var late: BusMessage?
    service.handleCalls {
      late = $0
      return .later
    }
    let start = world.loop.now
    var ends: [(Duration, BusError.Name?)] = []
    bus.call(request(), timeout: .seconds(3)) { [loop = world.loop] result in
      if case .failure(let error) = result {
        ends.append((loop.now - start, error.name))
      } else {
        ends.append((.zero, nil))
      }
    }
    try world.run(for: .seconds(10))
    service.send(.reply(to: try #require(late)))
    try world.run(for: .seconds(10))
    #expect(ends.count == 1)
    #expect(ends.first?.0 == .seconds(3))
    #expect(ends.first?.1 == .timedOut)
  }

  @Test("a cancelled call is never answered")
  func cancelledCallNeverAnswered() throws {
    service.handleCalls { .reply(.reply(to: $0)) }
    var count = 0
    let call = bus.call(request()) { _ in count += 1 }
    call.cancel()
    #expect(!call.isPending)
    try world.run(for: .seconds(60))
    #expect(count == 0)
    #expect(world.loop.deadlineCount == 0)
  }

  @Test("an unserved method is unknown")
  func unservedMethodUnknown() throws {
    var failure: BusError?
    bus.call(request("Nothing")) { if case .failure(let error) = $0 { failure = error } }
    try world.settle()
    #expect(failure?.name == .unknownMethod)
    #expect(failure?.message == "no method test.Service.Nothing at /")
  }

  @Test("a ping is answered")
  func pingAnswered() throws {
    var isAnswered = false
    let ping = BusMessage.call(
      to: service.connection?.name ?? "", path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping")
    bus.call(ping) { if case .success = $0 { isAnswered = true } }
    try world.settle()
    #expect(isAnswered)
  }

  @Test("a peer that leaves without replying gives NoReply")
  func peerThatLeavesWithoutReplying() throws {
    service.handleCalls { _ in .later }
    var failure: BusError?
    bus.call(request()) { if case .failure(let error) = $0 { failure = error } }
    try world.settle()
    service.stop()
    try world.settle()
    #expect(failure?.name == .noReply)
  }

  @Test("replies arrive in the order of the calls")
  func repliesArriveInOrder() throws {
    service.handleCalls { .reply(.reply(to: $0)) }
    var order: [Int] = []
    for number in 0..<100 { bus.call(request()) { _ in order.append(number) } }
    try world.settle()
    #expect(order == Array(0..<100))
  }

  @Test("a descriptor is passed once, and closed if it is not taken")
  func descriptorPassedOnceAndClosed() throws {
    let pair = try PacketPair()
    var taken: [[UInt8]] = []
    service.handleCalls { call in
      if call.member == "Take" {
        var reader = call.reader
        if let descriptor = reader.fileDescriptor() { _ = try? descriptor.write([1, 2].span) }
        taken.append([])
      }
      return .reply(.reply(to: call))
    }
    let near = pair.keepNear { far in
      bus.call(request("Take").append(far)) { _ in }
      bus.call(request("Leave").append(far)) { _ in }
    }
    try world.settle()
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(try near.read(into: &buffer) == .done(2))
    #expect(taken.count == 1)
    #expect(try near.read(into: &buffer) == .done(0), "every copy is closed")
  }

  @Test("a name has one owner")
  func nameHasOneOwner() throws {
    var answers: [Bool] = []
    bus.requestName("test.name") { answers.append($0) }
    try world.settle()
    service.requestName("test.name") { answers.append($0) }
    try world.settle()
    #expect(answers == [true, false])
  }
}
