// Why a device that a client asked for was not connected in time.

import Connections
import Linux
import Radio
import Wire

extension Refusal {
  static func unconnected(
    _ connection: DeviceConnection, within limit: Duration, _ condition: RadioCondition
  ) -> Refusal {
    if let obstacle = condition.obstacle, obstacle.isOfRadio {
      return Refusal(.adapterUnavailable, condition.message)
    }
    if let failure = connection.failure {
      return Refusal(.pairingFailed, "found it, but could not connect: \(failure.detail)")
    }
    let hint = "wake it up, bring it near, and make sure that no other computer or phone is connected to it"
    return Refusal(.timeout, "\(connection.address) was not found within \(limit): \(hint)")
  }
}
