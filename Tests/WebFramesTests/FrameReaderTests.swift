// What readers receive: the newest of each at their own rate, radar and events at once, nothing
// twice, and no backlog.

import HTTP
import JSON
import Testing
import Time

@testable import WebFrames

@Suite struct FrameReaderTests {
  private let world = FrameWorld()

  @Test("the greeting names stream, server, rights and rate")
  func greeting() throws {
    let subscription = try FrameSubscription(FrameWorld.target("hz=0.5"))
    var reader = FrameReader(subscription, name: "s7", board: world.board, now: world.now)
    var bytes: [UInt8] = []
    reader.greet(
      StreamGreeting(instance: "5e0c", release: "0.2", rights: ["view", "ride"]), now: world.now, into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "retry: 1000\nevent: hello\nid: 1\ndata: "
        + #"{"stream":"s7","instance":"5e0c","now":81000,"release":"0.2","rights":["view","ride"],"hz":0.5}"# + "\n\n")
  }

  @Test("a reader at 1 Hz and one at 4 Hz each get the newest of each kind at their rate")
  func rates() throws {
    let slow = try world.reader("hz=1")
    let fast = try world.reader("hz=4")
    var frames = (slow: [[String]](), fast: [[String]]())
    for _ in 0..<40 {
      world.sample("speed")
      world.sample("power")
      frames.slow += try slow.read().map(\.records)
      frames.fast += try fast.read().map(\.records)
      world.pass(50)
    }
    #expect(frames.slow == [["speed:1", "power:1"], ["speed:21", "power:21"]])
    #expect(frames.fast.count == 8)
    #expect(frames.fast.prefix(3) == [["speed:1", "power:1"], ["speed:6", "power:6"], ["speed:11", "power:11"]])
  }

  @Test("readers of one rate get their frames at the same times, whenever they came and however late the timer was")
  func together() throws {
    let first = try world.reader()
    var readers = [first]
    var times: [Set<Double>] = []
    for step in 0..<200 {
      // Three more come at odd times.
      if [13, 26, 31].contains(step) { readers.append(try world.reader()) }
      times += Array(repeating: [], count: readers.count - times.count)
      world.sample("speed")
      for (index, reader) in readers.enumerated() where try !reader.read().isEmpty {
        times[index].insert(world.now.seconds)
      }
      world.pass(step % 7 == 0 ? 21 : 9)
    }
    let settled = times.map { $0.filter { $0 > 81_001 } }
    #expect(settled.allSatisfy { $0 == settled[0] } && (4...6).contains(settled[0].count))
  }

  @Test("a value that did not arrive again is not sent again")
  func nothingTwice() throws {
    let reader = try world.reader()
    world.sample("speed")
    world.sample("power")
    #expect(try reader.read().map(\.records) == [["speed:1", "power:1"]])
    world.pass(250)
    world.sample("power")
    #expect(try reader.read().map(\.records) == [["power:2"]])
    world.pass(250)
    #expect(try reader.read() == [])
  }

  @Test("what was there before the reader is not sent to it")
  func before() throws {
    world.sample("speed")
    world.event("lap")
    let reader = try world.reader()
    #expect(!reader.hasUrgent)
    #expect(try reader.read() == [])
    #expect(try world.snapshotRecords() == ["speed:1", "event:lap"])
  }

  @Test("a reader that is stuck gets one frame with the newest when it reads again")
  func stuck() throws {
    let reader = try world.reader()
    let other = try world.reader()
    reader.isStuck = true
    for round in 0..<1000 {
      world.sample("speed")
      if round % 2 == 0 { world.sample("power") }
      _ = try other.read()
      _ = try reader.read()
      world.pass(50)
    }
    reader.isStuck = false
    let messages = try reader.read()
    #expect(messages.map(\.event) == ["frame"] && messages.map(\.records) == [["power:500", "speed:1000"]])
    #expect(messages.first?.now == world.now.seconds)
    #expect(try reader.read() == [])
  }

  @Test("events of more than ten seconds ago are not news for a reader that was stuck")
  func oldEvents() throws {
    let reader = try world.reader()
    reader.isStuck = true
    world.event("radar_approach")
    world.sample("radar", "varia")
    world.pass(5_000)
    world.event("tire_leak")
    world.pass(5_001)
    reader.isStuck = false
    #expect(try reader.read().map(\.records) == [["radar:1", "event:tire_leak"]])
  }

  @Test("states, sensors and adapters come in their order, the newest of each")
  func states() throws {
    let reader = try world.reader()
    world.state("strap", "searching")
    world.state("pedals", "streaming")
    world.line(#"{"class":"adapter","adapter":"hci0","state":"on"}"#)
    world.sample("power", "pedals")
    world.line(#"{"class":"sensor","change":"changed","sensor":{"id":"strap","name":"Strap"}}"#)
    world.state("strap", "connecting")
    world.state("strap", "streaming")
    #expect(
      try reader.read().map(\.records) == [
        ["state:pedals:streaming", "adapter:on", "power:1", "sensor:strap:changed", "state:strap:streaming"]
      ])
  }

  @Test("radar and events are sent at once, and not again with the frame")
  func urgent() throws {
    let reader = try world.reader()
    world.sample("speed")
    _ = try reader.read()
    world.pass(10)
    world.sample("speed")
    world.sample("radar", "varia")
    #expect(reader.hasUrgent && reader.deadline <= world.now)
    #expect(try reader.read().map(\.records) == [["radar:1"]])
    world.pass(10)
    world.event("radar_approach")
    world.event("tire_leak")
    let messages = try reader.read()
    #expect(messages.map(\.event) == ["urgent"])
    #expect(messages.map(\.records) == [["event:radar_approach", "event:tire_leak"]])
    world.pass(230)
    #expect(try reader.read().map(\.records) == [["speed:2"]])
  }

  @Test("a radar sample while a frame is pending goes first, and only the newest one")
  func urgentWhilePending() throws {
    let reader = try world.reader("hz=1")
    world.sample("speed")
    _ = try reader.read()
    world.pass(500)
    world.sample("speed")
    reader.isStuck = true
    for _ in 0..<5 { world.sample("radar", "varia") }
    world.event("radar_approach")
    #expect(try reader.read() == [])
    world.pass(600)
    reader.isStuck = false
    let messages = try reader.read()
    #expect(messages.map(\.event) == ["urgent", "frame"])
    #expect(messages.map(\.records) == [["radar:5", "event:radar_approach"], ["speed:2"]])
  }

  @Test("after a second without a message there is a beat, and a frame delays it")
  func beats() throws {
    let reader = try world.reader()
    #expect(reader.deadline == world.now + .seconds(1))
    world.pass(999)
    #expect(try reader.read() == [])
    world.pass(1)
    let messages = try reader.read()
    #expect(messages.map(\.event) == ["beat"] && messages.first?.data == ["now": 81001])
    world.pass(900)
    world.sample("speed")
    #expect(try reader.read().map(\.event) == ["frame"])
    world.pass(999)
    #expect(try reader.read() == [])
    #expect(reader.deadline == world.now + .milliseconds(1))
  }

  @Test("the deadline is the next frame if there is something for it")
  func deadlines() throws {
    let reader = try world.reader("hz=2")
    world.sample("speed")
    #expect(reader.deadline == world.now)
    _ = try reader.read()
    #expect(reader.deadline == world.now + .seconds(1))
    world.pass(100)
    world.sample("speed")
    #expect(reader.deadline == world.now + .milliseconds(400))
    #expect(try reader.read() == [])
    world.pass(400)
    #expect(try reader.read().map(\.records) == [["speed:2"]])
  }

  @Test("a reader gets the kinds that it wants, and all other records")
  func kinds() throws {
    let reader = try world.reader("kinds=speed,heart_rate")
    world.sample("power")
    world.sample("radar", "varia")
    world.state("strap", "streaming")
    world.sample("heart_rate", "strap")
    #expect(try reader.read().map(\.records) == [["state:strap:streaming", "heart_rate:1"]])
    world.pass(250)
    world.sample("power")
    #expect(try reader.read() == [])
    world.event("tire_leak")
    #expect(try reader.read().map(\.records) == [["event:tire_leak"]])
    #expect(try world.reader("kinds=").read() == [])
  }

  @Test("messages are numbered without gaps")
  func numbers() throws {
    let reader = try world.reader("kinds=speed")
    var ids: [Int] = []
    for _ in 0..<5 {
      world.sample("radar", "varia")
      world.sample("speed")
      ids += try reader.read().map(\.id)
      world.event("lap")
      ids += try reader.read().map(\.id)
      world.pass(250)
    }
    #expect(ids == Array(2...11))
  }

  @Test(
    "in whatever order records arrive and readers stall, each reader gets every newest record once", arguments: 1...20)
  func model(seed: UInt64) throws {
    var random = Random(state: seed)
    let readers = try ["hz=10", "hz=4", "hz=1&kinds=radar,kind1", "hz=0.2"].map(world.reader)
    var last = [[String: Int]](repeating: [:], count: readers.count)
    func read() throws {
      for (index, reader) in readers.enumerated() {
        for message in try reader.read() {
          for record in message.data["records"]?.items ?? [] {
            let stream = "\(record["sensor"]?.text ?? "") \(record["kind"]?.text ?? "")"
            let sequence = try #require(record["seq"]?.integer)
            #expect(sequence > last[index][stream, default: 0], "reader \(index), \(stream)")
            last[index][stream] = sequence
          }
        }
      }
    }
    for _ in 0..<500 {
      switch random.below(5) {
      case 0: world.sample("radar", "varia")
      case 1, 2: world.sample("kind\(random.below(3))", "sensor\(random.below(4))")
      case 3: world.pass(Int64(random.below(300)))
      default: readers[random.below(4)].isStuck.toggle()
      }
      try read()
    }
    for reader in readers { reader.isStuck = false }
    world.pass(10_000)
    try read()
    for (index, reader) in last.enumerated() {
      let wanted = world.counts.filter { index != 2 || $0.key.hasSuffix("radar") || $0.key.hasSuffix("kind1") }
      #expect(reader == wanted, "reader \(index)")
    }
  }

  @Test("records of a task reach the stream that asked, and the oldest are dropped if it is stuck")
  func tasks() throws {
    let reader = try world.reader()
    let other = try world.reader()
    reader.isStuck = true
    for number in 1...70 { reader.add(taskRecord: #"{"class":"found","id":"\#(number)"}"#) }
    reader.add(taskRecord: "{\n}")
    #expect(reader.deadline <= world.now && other.deadline > world.now)
    reader.isStuck = false
    let messages = try reader.read()
    #expect(messages.map(\.event) == ["task"])
    let ids = messages.first?.data["records"]?.items?.compactMap { $0["id"]?.text }
    #expect(ids == (7...70).map(String.init))
    #expect(try other.read() == [] && reader.read() == [])
  }

  @Test(
    "a rate is a number from 0.1 to 10",
    arguments: [
      ("", 4), ("hz=0.1", 0.1), ("hz=10", 10), ("hz=1&hz=2", 1), ("hz=0.09", nil), ("hz=10.1", nil), ("hz=-1", nil),
      ("hz=nan", nil), ("hz=inf", nil), ("hz=", nil), ("hz=fast", nil),
    ] as [(String, Double?)])
  func subscription(_ query: String, hz: Double?) throws {
    let target = try FrameWorld.target(query)
    #expect((try? FrameSubscription(target))?.hz == hz)
  }
}
