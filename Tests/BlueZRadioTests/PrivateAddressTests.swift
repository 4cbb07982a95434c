// A sensor that changes its address regularly and reveals its own only to bonded devices.

import BlueZRadio
import DBus
import EventLoop
import Radio
import TestSupport
import Testing
import Wire

struct PrivateAddressTests {
  private static let own = "C0:00:00:00:00:AA"

  @Test("bonding reveals the sensor's own address, which is used from then on")
  func addressRevealed() throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].ownAddress = Self.own
      fake.sensors[0].characteristic("2a37")?.needsBond = true
    }
    let probe = try stand.makeLink()
    probe.link.mayBond = true
    probe.open()
    #expect(try stand.world.run { probe.isOpen })
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    let own = try #require(DeviceAddress(Self.own))
    #expect(probe.revealed == [own])
    stand.belt.notify("2a37", [0, 60])
    #expect(try stand.world.run { probe.values == [[0, 60]] }, "the link stays up")
    stand.belt.dropLink()
    #expect(try stand.world.run { probe.failure?.reason == .linkLost })
    stand.adverts = []
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { stand.adverts.contains { $0.address == own } })
    #expect(!stand.adverts.contains { $0.address == RadioStand.address })
    stand.radio.search(nil)
    let again = LinkProbe(stand.radio.link(to: own), stand.world)
    again.open()
    #expect(try stand.world.run { again.isOpen })
  }
}
