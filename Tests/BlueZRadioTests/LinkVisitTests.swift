// Links that leave no trace: what bluetoothd forgets after them, and what it must keep.

import BlueZRadio
import DBus
import Radio
import TestSupport
import Testing
import Wire

struct LinkVisitTests {
  private func visit(_ stand: RadioStand, sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkProbe {
    let probe = try stand.makeLink(sourceLocation: sourceLocation)
    probe.link.leaveNoTrace()
    probe.open()
    return probe
  }

  private func isGone(_ stand: RadioStand) -> Bool {
    !stand.belt.isConnected && !stand.belt.isPaired && stand.fake.adapters[0].device(stand.belt) == nil
  }

  @Test("a link tells what the sensor allows with each characteristic")
  func properties() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    let link = probe.link
    #expect(link.properties(of: RadioStand.rate) == .notify && link.properties(of: RadioStand.location) == .read)
    #expect(link.properties(of: RadioStand.control) == .write && link.properties(of: RadioStand.battery) == [])
    probe.close()
    #expect(try stand.world.run { probe.failure != nil })
    #expect(link.properties(of: RadioStand.rate) == [])
  }

  @Test("a battery level that bluetoothd keeps for itself can be read and subscribed to")
  func batteryProperties() throws {
    let stand = try RadioStand.discovered { $0.sensors[0].batteryPercentage = 77 }
    let probe = try stand.openLink()
    #expect(probe.link.properties(of: RadioStand.battery) == [.read, .notify])
  }

  @Test("a link that is closed, or lost, leaves no device behind", arguments: ["closed", "lost"])
  func noTrace(end: String) throws {
    let stand = try RadioStand.discovered()
    let probe = try visit(stand)
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    if end == "closed" { probe.close() } else { stand.belt.dropLink(.remote) }
    #expect(try stand.world.run { probe.failure != nil && isGone(stand) })
    #expect(stand.fake.count(of: "RemoveDevice") == 1)
  }

  @Test("a connect that fails, or is cancelled, leaves no device behind", arguments: ["failed", "cancelled"])
  func noTraceOfConnect(end: String) throws {
    let stand = try RadioStand.discovered { fake in
      fake.script.onConnect = { _, _ in end == "failed" ? .fail(.inProgress) : .never }
    }
    let probe = try visit(stand)
    try stand.world.run(for: .seconds(1))
    if end == "cancelled" { probe.close() }
    #expect(try stand.world.run { probe.failure != nil && isGone(stand) })
    #expect(stand.fake.count(of: "RemoveDevice") == 1)
  }

  @Test("a bond that the link made is removed with the device")
  func bondIsRemoved() throws {
    let stand = try RadioStand.discovered()
    let probe = try visit(stand)
    #expect(try stand.world.run { probe.isOpen })
    stand.belt.isPaired = true
    probe.close()
    #expect(try stand.world.run { probe.failure != nil && isGone(stand) })
  }

  @Test("a device that was bonded or trusted before stays", arguments: ["bonded", "trusted"])
  func knownDevice(mark: String) throws {
    let stand = try RadioStand.discovered { $0.sensors[0].isPaired = mark == "bonded" }
    if mark == "trusted" { try stand.set("Trusted", .bool(true)) }
    let probe = try visit(stand)
    #expect(try stand.world.run { probe.isOpen })
    probe.close()
    #expect(try stand.world.run { probe.failure != nil && !stand.belt.isConnected })
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.count(of: "RemoveDevice") == 0 && stand.belt.isPaired == (mark == "bonded"))
  }

  @Test("a device that another program has connected stays connected")
  func connectedByOther() throws {
    let stand = try RadioStand.discovered()
    try stand.call("Connect")
    try stand.world.run(for: .seconds(2))
    let probe = try visit(stand)
    #expect(try stand.world.run { probe.isOpen })
    probe.close()
    #expect(try stand.world.run { probe.failure != nil })
    try stand.world.run(for: .seconds(1))
    #expect(stand.belt.isConnected && stand.fake.count(of: "RemoveDevice") == 0)
  }
}
