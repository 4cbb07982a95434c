// The default scene: a rider on rolling hills with a paired chest strap. There is a second strap
// that can be found and paired, and a third that requires a bond with the passkey 123456. The rider
// is a simple model: effort follows the hills, and the heart rate follows the effort. The straps
// send what real ones do: flags, rate, contact, and all RR intervals since the last packet.

import Linux
import Radio

public struct RideScene: Scene {
  public let devices: [SceneDevice]
  public let leadIn = Duration.zero
  private var pending: [SceneEvent] = []
  private var second = 0
  private var rider: SimulatedRider
  private var resting: [SimulatedRider]

  public init(seed: UInt64 = 1) {
    rider = SimulatedRider(seed: seed, resting: 62, hardest: 184)
    resting = [1, 2].map { SimulatedRider(seed: seed &+ $0, resting: 55, hardest: 70) }
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

  /// One packet per second from each strap, as in the profile, 0.3 s apart.
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
