// The quality of a fix, for each row of the table in docs/metrics.md.

import Testing
import Time

@testable import Metrics

struct FixTests {
  static func fix(
    _ mode: Fix.Mode, accuracy: Double?, satellites: Int?, dilution: Double? = nil, isPlaced: Bool = true
  ) -> Fix {
    var fix = Fix(time: MonotonicTime(seconds: 1), mode: mode)
    if isPlaced { (fix.latitudeDeg, fix.longitudeDeg) = (47, 8) }
    (fix.accuracyM, fix.satellites, fix.dilution) = (accuracy, satellites, dilution)
    return fix
  }

  @Test(
    "a fix has the quality that docs/metrics.md states",
    arguments: [
      ("open sky", fix(.full, accuracy: 12, satellites: 11), Fix.Quality.good),
      ("at the bounds of good", fix(.full, accuracy: 30, satellites: 6), .good),
      ("less accurate", fix(.full, accuracy: 30.1, satellites: 11), .okay),
      ("fewer satellites", fix(.full, accuracy: 12, satellites: 5), .okay),
      ("no altitude", fix(.flat, accuracy: 12, satellites: 11), .okay),
      ("far off", fix(.full, accuracy: 75.1, satellites: 11), .bad),
      ("three satellites", fix(.flat, accuracy: 12, satellites: 3), .bad),
      ("no fix", fix(.none, accuracy: 12, satellites: 11), .bad),
      ("no place", fix(.full, accuracy: 12, satellites: 11, isPlaced: false), .bad),
      ("dilution alone", fix(.full, accuracy: nil, satellites: nil, dilution: 1.2), .good),
      ("accurate, but badly placed", fix(.full, accuracy: 8, satellites: 9, dilution: 2), .okay),
      ("a poor dilution", fix(.full, accuracy: nil, satellites: 9, dilution: 5), .bad),
      ("satellites alone", fix(.full, accuracy: nil, satellites: 9), .okay),
      ("no accuracy", fix(.full, accuracy: nil, satellites: nil), .bad),
    ])
  func quality(_ name: String, _ fix: Fix, _ expected: Fix.Quality) {
    #expect(fix.quality == expected, "\(name)")
  }
}
