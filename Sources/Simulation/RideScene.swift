// The default scene: a rider on rolling hills, with a chest strap that is paired, a second strap in the drawer that can
// be found and paired, and a third that requires a bond and asks for its passkey (123456). The rider is a simple model (effort follows the hills, the heart follows the effort); the straps send
// what real ones do: flags, rate, contact, and every beat since the last packet as an RR interval.

import DaemonCore
import Linux
import SensorKit

public struct RideScene: Scene {
  public let devices: [SceneDevice]
  public let leadIn = Duration.zero
  private var pending: [SceneEvent] = []
  private var second = 0
  private var rider: Rider
  private var resting: [Rider]

  public init(seed: UInt64 = 1) {
    rider = Rider(seed: seed, resting: 62, hardest: 184)
    resting = [1, 2].map { Rider(seed: seed &+ $0, resting: 55, hardest: 70) }
    var spare = SceneDevice.strap("spare-strap", "C0:FF:EE:00:00:02", "Spare strap")
    spare?.isPaired = false
    var bonded = SceneDevice.strap("bonded-strap", "C0:FF:EE:00:00:06", "Bonded strap")
    bonded?.isPaired = false
    bonded?.passkey = 123_456
    devices = [.strap("strap", "C0:FF:EE:00:00:01", "Strap"), spare, bonded].compactMap(\.self)
    for (device, charge) in [(0, 87), (1, 64), (2, 71)] as [(Int, UInt8)] {
      pending.append(SceneEvent(at: .zero, device: device, .holds(.bodyLocation, [1])))
      pending += SceneEvent.identity(of: device, charge: charge)
    }
    pending.reverse()
  }

  public mutating func next() -> SceneEvent? {
    if pending.isEmpty { rideOn() }
    return pending.popLast()
  }

  /// One packet per second from each strap, as the profile asks for, 0.3 s apart.
  private mutating func rideOn() {
    second += 1
    var packets = [rider.packet(atSecond: second)]
    for index in resting.indices { packets.append(resting[index].packet(atSecond: second)) }
    for (device, packet) in packets.enumerated().reversed() {
      let at = Duration.milliseconds(1000 * second + 300 * device)
      pending.append(SceneEvent(at: at, device: device, .notifies(.heartRate, packet, indicated: false)))
    }
  }
}
