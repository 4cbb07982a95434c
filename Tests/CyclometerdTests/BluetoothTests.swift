// The daemon without a simulation. It runs when bus, bluetoothd or adapter are missing, reports
// what is missing and recovers. The bus is a real, private one. bluetoothd is the fake, which runs
// on the test's loop in real time.

import DBus
import EventLoop
import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct BluetoothTests {
  private let loop: EventLoop
  private let bus: PrivateBus
  private let fake: FakeBlueZ

  init() throws {
    let loop = try EventLoop()
    let bus = try PrivateBus()
    self.loop = loop
    self.bus = bus
    fake = FakeBlueZ(loop: loop) { Bus(loop: loop, address: bus.address) }
  }

  private func makeDaemon() throws -> RealDaemon {
    try RealDaemon([], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address.description])
  }

  /// The fake runs while this peer waits.
  private func makePeer(_ path: String) throws -> Peer {
    let (peer, loop) = (try Peer(path), loop)
    peer.wait = { number, deadline in
      var isReady = false
      let watch = try loop.watch(number, for: .readable) { _ in isReady = true }
      defer { watch.cancel() }
      return try loop.run(until: deadline) { isReady }
    }
    return peer
  }

  private func addBelt() -> FakeSensor {
    let belt = fake.addSensor(
      "C0:00:00:00:00:01", name: "Belt",
      services: [FakeService("180d", [FakeCharacteristic("2a37"), FakeCharacteristic("2a38", ["read"], value: [1])])])
    belt.batteryPercentage = 80
    return belt
  }

  /// Sends ten packets per second with the rates 60 to 159, in a cycle.
  private func beat(_ belt: FakeSensor, _ count: Int = 0) {
    loop.schedule(after: .milliseconds(100)) {
      belt.notify("2a37", [0, UInt8(60 + count % 100)])
      self.beat(belt, belt.isConnected ? count + 1 : count)
    }
  }

  private func reason(_ peer: Peer) throws -> String? {
    try peer.ask("status").result?["bluetooth"]?["reason"]?.text
  }

  @Test("without a bus the daemon runs, reports the reason and recovers step by step")
  func noBus() throws {
    bus.stop()
    let daemon = try makeDaemon()
    let (peer, witness) = (try makePeer(daemon.controlSocket), try makePeer(daemon.metricsSocket))
    _ = try witness.ask("subscribe")
    let status = try #require(try peer.ask("status").result)
    #expect(status["bluetooth"]?["reason"] == "bus_gone")
    #expect(status["bluetooth"]?["message"]?.text?.isEmpty == false)
    #expect(eventually { daemon.diagnostics.contains("warning: Bluetooth: no D-Bus at ") })
    #expect(status["adapters"] == [])
    #expect(try eventually { try peer.ask("scan").code == "adapter_unavailable" })
    #expect(try peer.ask("pair", #"{"address":"C0:00:00:00:00:01"}"#).code == "adapter_unavailable")

    try bus.start()
    #expect(try eventually { try reason(peer) == "bluetoothd_gone" })

    fake.start()
    #expect(try eventually { try reason(peer) == "adapter_absent" })
    fake.addAdapter()
    let adapter = try witness.next { $0.className == "adapter" && $0["state"] == "on" }
    #expect(adapter["adapter"] == "hci0")
    #expect(adapter["address"] == "00:11:22:33:44:55")
    #expect(try reason(peer) == nil)
    #expect(daemon.stop() == 0)
  }

  @Test("a sensor is found, paired, streams, and reconnects by itself")
  func sensor() throws {
    fake.start()
    fake.addAdapter()
    let belt = addBelt()
    belt.advertise()
    let daemon = try makeDaemon()
    let (peer, witness) = (try makePeer(daemon.controlSocket), try makePeer(daemon.metricsSocket))
    _ = try witness.ask("subscribe")
    #expect(try eventually { try reason(peer) == nil })
    _ = try peer.ask("scan", #"{"seconds":30}"#)
    #expect(try peer.next("found")["address"] == "C0:00:00:00:00:01")
    _ = try peer.ask("cancel")

    beat(belt)
    let sensor = try #require(try peer.ask("pair", #"{"address":"C0:00:00:00:00:01"}"#).result)
    #expect(sensor["name"] == "Belt")
    #expect(sensor["state"] == "streaming")
    func nextSample() throws -> JSONValue { try witness.next { $0["kind"] == "heart_rate" } }
    let first = try nextSample()
    let (start, rate) = (try #require(first.sequence), try #require(first["bpm"]?.integer))
    for step in 1...20 {
      let sample = try nextSample()
      #expect(sample.sequence == start + step)
      #expect(sample["bpm"]?.integer == 60 + (rate - 60 + step) % 100)
    }

    belt.dropLink()
    let lost = try witness.next { $0.className == "state" && $0["state"] != "streaming" }
    #expect(lost["sensor"] == sensor["id"])
    #expect(lost["reason"]?.text?.isEmpty == false)
    belt.advertise()
    _ = try witness.next { $0.className == "state" && $0["state"] == "streaming" }
    _ = try nextSample()

    fake.crash()
    _ = try witness.next { $0.className == "state" && $0["reason"] == "bluetoothd_gone" }
    fake.start()
    belt.advertise()
    _ = try witness.next { $0.className == "state" && $0["state"] == "streaming" }
    _ = try nextSample()
    #expect(daemon.stop() == 0)
  }
}
