import ActivityFiles
import Foundation
import Testing
import Time

@Suite struct FITWriterTests {
  @Test("the smallest activity is written byte for byte")
  func minimal() throws {
    let bytes = try writeFIT(Vector.ride("minimal.json"))
    #expect(bytes == (try Vector.hex("minimal.hex")))
  }

  @Test("a ride with everything is written for other decoders")
  func wholeRide() throws {
    let bytes = try writeFIT(Vector.ride("ride.json"))
    if let folder = ProcessInfo.processInfo.environment["CYCLOMETER_EXPORTS"] {
      try Data(bytes).write(to: URL(filePath: folder).appending(path: "ride.fit"))
    }
    #expect(bytes.count < 8000)
  }

  @Test("what is read back is what was written, and writing it again gives the same bytes")
  func roundTrip() throws {
    let items = try Vector.ride("ride.json")
    let bytes = try writeFIT(items)
    let result = try read(bytes, with: FITReader())
    #expect(result.warnings.isEmpty && result.omissions.isEmpty)
    #expect(try writeFIT(result.items) == bytes)
    let expected = ReadItems(items: items)
    #expect(result.events == expected.events)
    #expect(result.devices == expected.devices)
    #expect(result.points.map(\.t) == expected.points.map(\.t))
    for (found, wanted) in zip(result.points, expected.points) {
      #expect(found.radar == wanted.radar && found.beatIntervals == wanted.beatIntervals, "second \(wanted.t)")
      for field in PointField.allCases { #expect(isNear(found[field], wanted[field]), "\(field) at \(wanted.t)") }
    }
    for (found, wanted) in zip(
      result.laps.map(\.summary) + result.summaries, expected.laps.map(\.summary) + expected.summaries)
    {
      #expect(found.start == wanted.start && found.elapsed == wanted.elapsed)
      for field in SummaryField.allCases { #expect(isNear(found[field], wanted[field]), "\(field)") }
    }
  }

  /// Within what FIT keeps of a value with one decimal.
  private func isNear(_ found: Double?, _ wanted: Double?) -> Bool {
    guard let found, let wanted else { return found == nil && wanted == nil }
    return abs(found - wanted) <= 0.11
  }

  @Test("a file of a known size is written from front to back")
  func knownSize() throws {
    let items = try Vector.ride("ride.json")
    let whole = try writeFIT(items)
    var writer = FITWriter(dataSize: whole.count - 16)
    var bytes: [UInt8] = []
    var piece: [UInt8] = []
    for item in items {
      try writer.write(item, into: &piece)
      bytes += piece
      piece.removeAll(keepingCapacity: true)
    }
    try writer.finish(into: &piece)
    #expect(bytes + piece == whole)
  }
}
