// Reads segments and fixes that passes.py made, and prints what Segments makes of them while they
// come, and afterwards as the logbook does. Used by Tests/Guidance/run-segments only.

import Earth
import Segments

@main
enum FindPassages {
  static func main() {
    var segments: [KnownSegment] = []
    var points: [Coordinate] = []
    var id = 0
    var fixes: [(position: Coordinate, atMS: Int64)] = []
    while let line = readLine() {
      let words = line.split(separator: " ")
      switch words.first {
      case "ride": print(line)
      case "segment": (id, points) = (whole(words), [])
      case "point": points.append(place(words, from: 1))
      case "known":
        guard let segment = KnownSegment(id: id, points, best: nil, last: nil) else {
          fatalError("not a segment: \(id)")
        }
        segments.append(segment)
      case "fix": fixes.append((place(words, from: 2), Int64(whole(words))))
      case "end":
        live(segments, fixes)
        afterwards(segments, fixes)
        (segments, fixes) = ([], [])
      default: fatalError("not a line of a ride: \(line)")
      }
    }
  }

  private static func live(_ segments: [KnownSegment], _ fixes: [(position: Coordinate, atMS: Int64)]) {
    var live = LiveSegments()
    live.replace(by: segments)
    for fix in fixes {
      live.add(fix.position, atMS: fix.atMS)
      for report in live.reports where report.state != .approaching {
        print("live", report.state, segments[report.segment].id, fix.atMS, report.timeS ?? -1)
      }
    }
    live.endRide()
    for report in live.reports {
      print("live", report.state, segments[report.segment].id, fixes.last?.atMS ?? 0, report.timeS ?? -1)
    }
  }

  private static func afterwards(_ segments: [KnownSegment], _ fixes: [(position: Coordinate, atMS: Int64)]) {
    for segment in segments {
      var finder = EffortFinder(segment.line)
      var passages = fixes.compactMap { finder.add($0.position, atMS: $0.atMS) }
      passages += [finder.finish()].compactMap(\.self)
      for passage in passages { print("passage", segment.id, passage.startMS, passage.endMS) }
    }
  }

  private static func whole(_ words: [Substring]) -> Int {
    guard words.count > 1, let number = Int(words[1]) else { fatalError("not a number: \(words)") }
    return number
  }

  private static func place(_ words: [Substring], from first: Int) -> Coordinate {
    guard words.count > first + 1, let latitude = Double(words[first]), let longitude = Double(words[first + 1]),
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { fatalError("not a place: \(words)") }
    return place
  }
}
