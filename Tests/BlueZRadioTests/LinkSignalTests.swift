// Before 5.86, bluetoothd can crash when a link drops during AcquireNotify. With such a release,
// links begin with signals.

import DBus
import EventLoop
import Radio
import TestSupport
import Testing

struct LinkSignalTests {
  private static func discovered(
    _ release: (Int, Int), sourceLocation: SourceLocation = #_sourceLocation, _ prepare: (FakeBlueZ) -> Void = { _ in }
  ) throws -> RadioStand {
    try RadioStand.discovered(sourceLocation: sourceLocation) { fake in
      fake.script.release = release
      prepare(fake)
    }
  }

  @Test(
    "before BlueZ 5.86 a link begins with signals",
    arguments: [((5, 66), false), ((5, 82), false), ((5, 85), false), ((5, 86), true), ((5, 87), true)])
  func byRelease(release: (Int, Int), acquiresAtOnce: Bool) throws {
    let stand = try Self.discovered(release)
    #expect(try stand.openLink().subscribe(RadioStand.rate) == nil)
    #expect(stand.belt.characteristic("2a37")?.isAcquired == acquiresAtOnce)
    #expect(stand.belt.characteristic("2a37")?.isSubscribed == true)
  }

  @Test("a steady link switches to a descriptor without missing a value")
  func switchToDescriptor() throws {
    let stand = try Self.discovered((5, 66))
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    for beat in UInt8(0)..<160 {
      stand.belt.notify("2a37", [0, beat])
      try stand.world.run(for: .milliseconds(250))
      if beat == 100 { #expect(stand.belt.characteristic("2a37")?.isAcquired == false) }
    }
    #expect(stand.belt.characteristic("2a37")?.isAcquired == true)
    #expect(probe.values.map { $0[1] } == Array(0..<160))
    #expect(stand.fake.count(of: "AcquireNotify") == 1)
    probe.close()
    try stand.world.run(for: .seconds(1))
    #expect(stand.belt.characteristic("2a37")?.isSubscribed == false)
  }

  @Test("signals continue when AcquireNotify is not supported")
  func noDescriptor() throws {
    let stand = try Self.discovered((5, 66)) {
      $0.script.refuse = { $0.member == "AcquireNotify" ? .notSupported : nil }
    }
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    for beat in UInt8(0)..<200 {
      stand.belt.notify("2a37", [0, beat])
      try stand.world.run(for: .milliseconds(500))
    }
    #expect(probe.values.map { $0[1] } == Array(0..<200) && probe.failure == nil)
    #expect(stand.fake.count(of: "AcquireNotify") == 1)
  }

  @Test("a link that drops while subscribing leaves nothing behind", arguments: [(5, 66), (5, 87)])
  func dropWhileSubscribing(release: (Int, Int)) throws {
    let stand = try Self.discovered(release)
    for _ in 1...3 {
      let probe = try stand.openLink()
      probe.link.subscribe(RadioStand.rate) { _ in }
      try stand.world.run(for: .milliseconds(10))
      stand.belt.dropLink(.remote)
      #expect(try stand.world.run { probe.failure != nil })
      probe.close()
      try stand.discoverAgain()
    }
    #expect(try stand.openLink().subscribe(RadioStand.rate) == nil)
    #expect(stand.fake.isRunning && stand.belt.characteristic("2a37")?.isStuck == false)
  }
}
