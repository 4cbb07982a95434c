// A client that stops reading: how much of the daemon's memory it may hold, and for how long.

import JSON
import TestSupport
import Testing

@testable import DaemonCore
@testable import Serving

struct SlowClientTests {
  @Test("a client whose queue has not shrunk for a minute is dropped")
  func stalledQueue() throws {
    let daemon = try TestDaemon()
    let reading = try daemon.pairStrap()
    let stopped = try daemon.connect("metrics.sock")
    stopped.send(#"{"id":1,"method":"subscribe"}"#)
    try daemon.run(for: .milliseconds(10))
    for _ in 1...3000 {
      daemon.radio.link?.notify([0x00, 0x48])
      try daemon.run(for: .milliseconds(1))
      try reading.receive()
    }
    #expect(daemon.daemon.server?.clientCount == 2)
    try daemon.run(for: .seconds(55))
    #expect(daemon.daemon.server?.clientCount == 2)
    try daemon.run(for: .seconds(10))
    #expect(daemon.daemon.server?.clientCount == 1)
    #expect(reading.records.count { $0["class"] == "lag" } == 0)
  }

  @Test("requests are not read further than the client's reply queue reaches")
  func unreadReplies() throws {
    let daemon = try TestDaemon()
    let asking = try daemon.connect()
    for id in 1...4000 { asking.send(#"{"id":\#(id),"method":"status"}"#) }
    try daemon.run(for: .seconds(1))
    for _ in 1...4000 {
      try asking.receive()
      try daemon.run(for: .milliseconds(1))
    }
    let answers = asking.records.compactMap { $0["class"] == "reply" ? $0["id"]?.integer : nil }
    #expect(answers.count > 100)
    #expect(answers == Array(1...answers.count))
    #expect(daemon.daemon.server?.clientCount == 1)
  }
}
