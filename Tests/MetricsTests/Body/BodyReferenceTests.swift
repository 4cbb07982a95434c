// Variability, alpha 1 and respiratory rate, compared with reference implementations. A clean
// series gives the same numbers; one with artefacts nearly those of the series without them.

import Testing

@testable import Metrics

@Suite struct BodyReferenceTests {
  @Test("the reference data has series of each type")
  func referenceData() {
    #expect(BodyReference.clean.count >= 12)
    #expect(BodyReference.withArtefacts.count >= 3)
  }

  @Test("a clean series gives the values of the references", arguments: BodyReference.clean)
  func cleanSeries(_ row: BodyReference) throws {
    var strap = Strap()
    strap.send(row.intervals)
    let rmssd = try #require(strap.rmssd)
    let sdnn = try #require(strap.sdnn)
    let alpha1 = try #require(strap.alpha1)
    #expect(abs(rmssd.value - row.rmssd) < 1e-6)
    #expect(abs(sdnn.value - row.sdnn) < 1e-6)
    #expect(abs(alpha1.value - row.alpha1) < 1e-6)
    // neurokit2 omits the last box if it fits exactly.
    #expect(abs(alpha1.value - row.alpha1Neurokit) < 0.025)
    #expect(rmssd.confidence > 0.9 && sdnn.confidence > 0.9 && alpha1.confidence > 0.9)
  }

  @Test("artefacts change the result only slightly", arguments: BodyReference.withArtefacts)
  func artefacts(_ row: BodyReference) throws {
    var strap = Strap()
    strap.send(row.intervals)
    let rmssd = try #require(strap.rmssd)
    let sdnn = try #require(strap.sdnn)
    let alpha1 = try #require(strap.alpha1)
    #expect(abs(rmssd.value / row.rmssd - 1) < 0.1)
    #expect(abs(sdnn.value / row.sdnn - 1) < 0.05)
    #expect(abs(alpha1.value - row.alpha1) < 0.1)
    #expect(sdnn.confidence < 0.95 && alpha1.confidence < 0.95)
  }

  @Test("the respiratory rate matches the reference", arguments: BodyReference.breathing)
  func respiratoryRate(_ row: BodyReference) throws {
    var strap = Strap()
    strap.send(row.intervals)
    let breaths = try #require(strap.breaths)
    let scipy = try #require(row.breathsScipy)
    let truth = try #require(row.breathsTrue)
    #expect(abs(breaths.value - truth) < 0.3)
    #expect(abs(breaths.value - scipy) < 0.4)
  }
}
