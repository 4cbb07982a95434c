// A Bus on a real dbus-daemon, in virtual time.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing

struct BusTests {
  let world: TestWorld
  let bus: Bus

  init() throws {
    world = try TestWorld()
    bus = world.makeBus()
    let isConnected = try world.run { [bus] in bus.isConnected }
    #expect(isConnected)
  }

  private func askBus(_ member: String, _ arguments: Value...) -> Message {
    Message.call(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member
    ).append(arguments)
  }

  @Test func connectsAndIsNamed() throws {
    #expect(bus.connection?.name?.hasPrefix(":") == true)
  }

  @Test func aCallIsAnsweredOnce() throws {
    var answers: [String?] = []
    bus.call(askBus("GetNameOwner", .string("org.freedesktop.DBus"))) { result in
      guard case .success(let message) = result else { return }
      var reader = message.reader
      answers.append(reader.string())
    }
    #expect(answers.isEmpty)
    try world.settle()
    #expect(answers == ["org.freedesktop.DBus"])
  }
}
