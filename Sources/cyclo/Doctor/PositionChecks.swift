// Check of the position.

import JSON
import Troubleshooting
import Wire

extension Facts {
  var positionDiagnosis: Diagnosis? {
    guard let position = status?.position else { return nil }
    switch position.receivers {
    case nil:
      return PositionSymptom.noServer.diagnosis([.message: position.message.map { ": \($0)" } ?? ""])
    case 0: return PositionSymptom.noReceiver.diagnosis([.server: position.gpsd])
    case let receivers?:
      return PositionSymptom.received.diagnosis([
        .server: position.gpsd, .count: counted(receivers, "working receiver"),
      ])
    }
  }
}
