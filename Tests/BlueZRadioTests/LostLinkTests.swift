// Cancelled connects, and links that the controller creates regardless. A whole daemon runs over a
// fake BlueZ with a controller, in virtual time.

import BlueZRadio
import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Time
import Wire

@testable import Connections
@testable import DaemonCore

struct LostLinkTests {
  /// All sensors stream, then the last one's link drops. The controller starts to create its new
  /// link after `listening`, and a cancel has `outcome`.
  private func creating(
    of count: Int = 1, radars: Int = 0, powersOn: Bool = true, after listening: Duration = .milliseconds(200),
    lasting creation: Duration? = nil, _ outcome: CancelOutcome = .lost,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> DaemonStand {
    let stand = try DaemonStand(count, radars: radars, powersOn: powersOn) { fake in
      for sensor in fake.sensors { sensor.advertise() }
    }
    #expect(
      try stand.ride(within: .seconds(60)) { stand.areAllStreaming }, sourceLocation: sourceLocation)
    #expect(try !stand.ride(within: .seconds(2)) { false }, sourceLocation: sourceLocation)
    let connects = stand.fake.sensors[count - 1].connectAttempts
    let last = stand.fake.sensors[count - 1]
    stand.fake.script.onConnect = { [unowned last] sensor, attempt in
      sensor === last && attempt == connects + 1 ? .create(after: listening, lasting: creation) : .succeed()
    }
    stand.fake.script.onCancel = { _ in outcome }
    last.dropLink(.timeout)
    return stand
  }

  private func disconnects(_ stand: DaemonStand) -> Int { stand.fake.count(of: "Disconnect") }

  private func isOff(_ stand: DaemonStand) -> Bool { !stand.fake.adapters[0].isPowered }

  @Test("a slow sensor that is lost alone comes back in one connect, without a cancel")
  func slowAlone() throws {
    let stand = try creating(of: 8, after: .milliseconds(2500), lasting: .milliseconds(2500))
    let start = stand.world.loop.now
    #expect(try stand.ride(within: .seconds(10)) { stand.fake.sensors[7].isConnected })
    #expect(stand.world.loop.now - start < .milliseconds(5300))
    #expect(try stand.ride(within: .seconds(2)) { stand.areAllStreaming })
    #expect(disconnects(stand) == 0)
  }

  @Test(
    "with a sensor absent, a slow connect still gets time to create its link",
    arguments: [true, false])
  func besideAnAbsentOne(showsControllers: Bool) throws {
    let stand = try DaemonStand(3) { fake in
      fake.script.showsControllers = showsControllers
      for sensor in fake.sensors { sensor.advertise() }
    }
    #expect(try stand.ride(within: .seconds(60)) { stand.areAllStreaming })
    stand.fake.sensors[0].goAway()
    #expect(try !stand.ride(within: .seconds(30)) { false })
    let before = disconnects(stand)
    stand.fake.script.onConnect = { _, _ in .create(after: .milliseconds(1900), lasting: .milliseconds(2500)) }
    stand.fake.sensors[2].dropLink(.timeout)
    #expect(try stand.ride(within: .seconds(6)) { stand.session(2).state == .streaming })
    #expect(disconnects(stand) == before)
  }

  @Test("after the kernel loses a link, an adapter without other links is power-cycled")
  func lostAlone() throws {
    let stand = try creating()
    try stand.world.run(for: .seconds(1))
    stand.session(0).connection.disable(because: .user)
    stand.session(0).connection.start()
    #expect(try stand.ride(within: .seconds(2)) { stand.session(0).connection.reason == .linkStuck })
    #expect(try stand.ride(within: .seconds(1)) { isOff(stand) })
    #expect(try stand.ride(within: .seconds(5)) { stand.areAllStreaming })
  }

  @Test("the kernel's own cancel can also come too late")
  func lostByTheKernel() throws {
    let stand = try creating()
    #expect(try stand.ride(within: .seconds(8)) { isOff(stand) })
    #expect(try stand.ride(within: .seconds(5)) { stand.areAllStreaming })
  }

  @Test("a link that ended early, and that bluetoothd connects again by itself, can be lost too")
  func lostWhileBluetoothdReconnects() throws {
    let stand = try DaemonStand(1) { fake in
      fake.script.onResolve = { _, _ in .never }
      fake.sensors[0].advertise()
    }
    let sensor = stand.fake.sensors[0]
    #expect(try stand.ride(within: .seconds(5)) { sensor.isConnected })
    stand.fake.script.onResolve = { _, _ in .resolve() }
    sensor.dropLinkAndReconnect()
    #expect(try stand.ride(within: .seconds(8)) { isOff(stand) })
    #expect(try stand.ride(within: .seconds(5)) { stand.areAllStreaming })
  }

  @Test("the adapter stays powered while other sensors stream")
  func lostBesideOthers() throws {
    let stand = try creating(of: 3)
    #expect(try !stand.ride(within: .seconds(300)) { isOff(stand) })
    #expect(stand.session(2).connection.reason == .linkStuck)
    #expect(stand.session(0).state == .streaming && stand.session(1).state == .streaming)
    stand.session(0).connection.disable(because: .user)
    stand.session(1).connection.disable(because: .user)
    #expect(try stand.ride(within: .seconds(10)) { isOff(stand) })
    #expect(try stand.ride(within: .seconds(5)) { stand.session(2).state == .streaming })
  }

  @Test("for a radar the adapter is always power-cycled after 30 s")
  func lostRadar() throws {
    let stand = try creating(of: 3, radars: 1)
    #expect(try !stand.ride(within: .seconds(30)) { isOff(stand) })
    #expect(stand.session(2).connection.reason == .linkStuck)
    #expect(try stand.ride(within: .seconds(10)) { isOff(stand) })
    #expect(try stand.ride(within: .seconds(15)) { stand.areAllStreaming })
  }

  @Test("a lost link that survives a bluetoothd restart is cleared afterwards")
  func lostWhileBluetoothdRestarts() throws {
    let stand = try creating(of: 3)
    #expect(try stand.ride(within: .seconds(30)) { stand.session(2).connection.reason == .linkStuck })
    stand.fake.crash()
    #expect(try !stand.ride(within: .seconds(5)) { false })
    stand.fake.start()
    #expect(try stand.ride(within: .seconds(15)) { stand.areAllStreaming })
  }

  @Test(
    "after bluetoothd restarts, a sensor is connected once the kernel has ended its old link, or after 3 s",
    arguments: [false, true], [false, true])
  func oldLinks(isEnded: Bool, isReported: Bool) throws {
    let stand = try DaemonStand(2) { fake in
      for sensor in fake.sensors { sensor.advertise() }
    }
    #expect(try stand.ride(within: .seconds(60)) { stand.areAllStreaming })
    let sensor = stand.fake.sensors[1]
    stand.fake.crash()
    stand.fake.keepLinks([sensor.address], areReported: isReported)
    #expect(try !stand.ride(within: .seconds(1)) { false })
    let connects = sensor.connectAttempts
    stand.fake.start()
    #expect(try !stand.ride(within: .milliseconds(1900)) { sensor.connectAttempts > connects })
    if isEnded { stand.fake.endKeptLinks() }
    #expect(try stand.ride(within: .seconds(isEnded ? 1 : 5)) { sensor.connectAttempts > connects })
    #expect(try stand.ride(within: .seconds(5)) { stand.areAllStreaming })
  }

  @Test("an adapter that refuses to power off is asked again")
  func refusesToSwitchOff() throws {
    let stand = try creating()
    stand.fake.script.refuse = { $0.member == "Set" ? .bluezFailed("Failed") : nil }
    #expect(try !stand.ride(within: .seconds(30)) { isOff(stand) })
    #expect(stand.session(0).connection.reason == .linkStuck)
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.ride(within: .seconds(150)) { isOff(stand) })
    #expect(try stand.ride(within: .seconds(5)) { stand.areAllStreaming })
  }

  @Test("PowerOn=false leaves the adapter powered")
  func powerIsTheUsers() throws {
    let stand = try creating(powersOn: false)
    #expect(try !stand.ride(within: .seconds(300)) { isOff(stand) })
    #expect(stand.session(0).connection.reason == .linkStuck)
  }

  @Test("a link that comes up despite the cancel is used")
  func linkedAndUsed() throws {
    let stand = try creating(.linked(after: .milliseconds(20)))
    try stand.world.run(for: .seconds(1))
    stand.session(0).connection.disable(because: .user)
    stand.session(0).connection.start()
    #expect(try stand.ride(within: .seconds(3)) { stand.areAllStreaming })
    #expect(stand.fake.sensors[0].connectAttempts == 2, "adopted, not connected again")
    #expect(!isOff(stand))
  }

  @Test("a link that comes up although its sensor was disabled is disconnected")
  func linkedAndUnwanted() throws {
    let stand = try creating(.linked(after: .milliseconds(20)))
    try stand.world.run(for: .seconds(1))
    stand.session(0).connection.disable(because: .user)
    #expect(try stand.ride(within: .seconds(1)) { stand.fake.sensors[0].isConnected })
    #expect(try stand.ride(within: .seconds(6)) { !stand.fake.sensors[0].isConnected })
    #expect(!isOff(stand))
  }

  @Test("a late cancel of a connect that had already failed costs other sensors nothing")
  func failed() throws {
    let stand = try creating(of: 2, .failed)
    #expect(try stand.ride(within: .seconds(12)) { stand.areAllStreaming })
    #expect(try !stand.ride(within: .seconds(60)) { isOff(stand) })
  }
}
