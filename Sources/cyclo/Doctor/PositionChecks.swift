// Check of the position.

import JSON
import Troubleshooting

extension Facts {
  var positionDiagnosis: Diagnosis? {
    guard let position = status?["position"], let gpsd = position["gpsd"]?.text else { return nil }
    switch position["receivers"]?.integer {
    case nil:
      return PositionSymptom.noServer.diagnosis([.message: position["message"]?.text.map { ": \($0)" } ?? ""])
    case 0: return PositionSymptom.noReceiver.diagnosis([.server: gpsd])
    case let receivers?:
      return PositionSymptom.received.diagnosis([.server: gpsd, .count: counted(receivers, "working receiver")])
    }
  }
}
