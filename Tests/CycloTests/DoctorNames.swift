// Short names for the tests of `doctor`.

import Troubleshooting

@testable import cyclo

extension Finding {
  static func ok(_ check: String, _ found: String) -> Finding {
    Finding(check: check, verdict: .ok, found: found)
  }

  func of(_ sensor: String) -> Finding {
    var finding = self
    finding.sensor = sensor
    return finding
  }
}

extension Facts {
  static let longerTimeout = LinksSymptom.short.diagnosis(.placeholders).command ?? ""
  static let restartAfterCrash = RestartSymptom.never.diagnosis().command ?? ""
}
