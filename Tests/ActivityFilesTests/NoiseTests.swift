// Files with random damage: no reader crashes, pieces of any size give the same, and the order of
// items holds. What was read can be written in every format, and read again.

import ActivityFiles
import ActivityVectors
import Testing

@Suite struct NoiseTests {
  static let workout = Array(
    """
    {"sport":"ride","points":[{"lat":47.1,"lon":8.5,"hr":120,"time":"2026-05-03T16:15:00Z","speed":5.5},
    {"location":{"latitude":47.2,"longitude":8.5},"heart_rate":{"value":121},"timestamp":1777824902},
    {"lat":"47.3","lng":8.5,"bpm":122,"time":1777824905000,"name":"\\u00fc"}],"title":"Z"}
    """.utf8)

  static let names = [
    "ride.gpx", "ride.tcx", "routes/route.gpx", "routes/track.gpx", "routes/course.tcx", "malformed/gpx-1.0.gpx",
    "malformed/two-activities.tcx", "workout.json",
  ]

  private func bytes(_ name: String) throws -> [UInt8] {
    name == "workout.json" ? Self.workout : try Vector.bytes(name)
  }

  @Test("no damage makes a reader crash or lose the order", arguments: names)
  func damage(name: String) throws {
    let original = try bytes(name)
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix(state: seed)
      let damaged = damage(original, kind: seed % 5, &random)
      let whole = outcome(damaged, inPieces: damaged.count + 1)
      let size = Int.random(in: 1...200, using: &random)
      #expect(outcome(damaged, inPieces: size) == whole, "seed \(seed), pieces of \(size)")
      guard let items = try? whole.get().items else { continue }
      checkOrder(items, seed)
      try checkWriting(items, seed)
    }
  }

  private func outcome(_ bytes: [UInt8], inPieces size: Int) -> Result<ReadItems, ActivityFileError> {
    Result { () throws(ActivityFileError) in try read(bytes, with: AnyActivityReader(), inPieces: size) }
  }

  private func damage(_ original: [UInt8], kind: UInt64, _ random: inout SplitMix) -> [UInt8] {
    var bytes = original
    let place = { (random: inout SplitMix) in Int.random(in: 0..<original.count, using: &random) }
    switch kind {
    case 0: bytes.removeLast(bytes.count - place(&random))
    case 1:
      for _ in 0..<4 { bytes[place(&random)] ^= 1 << UInt8.random(in: 0...7, using: &random) }
    case 2:
      // A digit becomes another one: the structure stays.
      for _ in 0..<40 {
        let index = place(&random)
        if 48...57 ~= bytes[index] { bytes[index] = UInt8.random(in: 45...57, using: &random) }
      }
    case 3:
      // A part comes twice, or somewhere else.
      let start = place(&random)
      let part = original[start..<min(original.count, start + Int.random(in: 1...2000, using: &random))]
      bytes.insert(contentsOf: part, at: place(&random))
    default:
      let start = place(&random)
      bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...300, using: &random)))
    }
    return bytes
  }

  private func checkOrder(_ items: [ActivityItem], _ seed: UInt64) {
    var last: Int?
    var hasHeader = false
    for item in items {
      switch item {
      case .header:
        hasHeader = true
        last = nil
      case .point(let point):
        #expect(last.map { point.t > $0 } ?? true, "seed \(seed)")
        #expect(!point.isEmpty, "seed \(seed)")
        last = point.t
      default: break
      }
      #expect(hasHeader, "seed \(seed)")
    }
  }

  private func checkWriting(_ items: [ActivityItem], _ seed: UInt64) throws {
    var outline = ActivityOutline()
    for item in items { outline.add(item) }
    var arrangement = ActivityArrangement(outline)
    var activities: [[ActivityItem]] = []
    let add = { (item: ActivityItem) in
      if case .header = item { activities.append([]) }
      if !activities.isEmpty { activities[activities.count - 1].append(item) }
    }
    for item in items { arrangement.add(item, emit: add) }
    arrangement.finish(emit: add)
    #expect(activities.count == outline.count, "seed \(seed)")
    for activity in activities {
      let count = ReadItems(items: activity).points.count
      for format in ActivityFormat.written {
        guard let written = try? write(activity, format), format != .csv else { continue }
        let again = try read(written, with: AnyActivityReader())
        #expect(again.headers.count == 1, "seed \(seed), \(format)")
        if format == .tcx { #expect(again.points.count == count, "seed \(seed)") }
      }
    }
  }
}
