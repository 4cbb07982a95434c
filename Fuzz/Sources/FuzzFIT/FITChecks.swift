// Invariants for any bytes read as a FIT file. The size of the pieces changes nothing. Points rise
// in time, and come after a header. What was read can be written, and what was written is read back
// without a warning. Doing that twice gives the same points: only the first time can round them. An
// arrangement keeps every point, and ends each activity with one summary.

import ActivityFiles
import Fuzzing

func checkFIT(_ bytes: [UInt8]) {
  let whole = read(bytes, inPieces: max(1, bytes.count))
  show("\(whole)")
  let size = 1 + (bytes.count &+ Int(bytes.last ?? 0)) % 61
  require(read(bytes, inPieces: size) == whole, "in pieces of \(size) bytes the items are others")
  guard case .success(let items) = whole else { return }
  requireOrder(items)
  requireArrangement(items)
  for activity in activities(items) { requireRoundTrip(activity) }
}

private func read(_ bytes: [UInt8], inPieces size: Int) -> Result<[ActivityItem], ActivityFileError> {
  var reader = FITReader()
  var items: [ActivityItem] = []
  do throws(ActivityFileError) {
    for start in stride(from: 0, to: bytes.count, by: size) {
      try reader.feed(bytes.span.extracting(start..<min(bytes.count, start + size))) { items.append($0) }
    }
    try reader.finish { items.append($0) }
    return .success(items)
  } catch {
    require(!error.description.isEmpty, "an error without words")
    return .failure(error)
  }
}

private func requireOrder(_ items: [ActivityItem]) {
  var last: Int?
  var hasHeader = false
  for item in items {
    switch item {
    case .header:
      hasHeader = true
      last = nil
    case .point(let point):
      require(last.map { point.t > $0 } ?? true, "a point at \(point.t) after one at \(last ?? 0)")
      require(!point.isEmpty, "an empty point")
      last = point.t
    case .warning, .omission: continue
    default: break
    }
    require(hasHeader, "an item before the header: \(item)")
  }
}

private func requireArrangement(_ items: [ActivityItem]) {
  var outline = ActivityOutline()
  for item in items { outline.add(item) }
  var arrangement = ActivityArrangement(outline)
  var arranged: [ActivityItem] = []
  for item in items { arrangement.add(item) { arranged.append($0) } }
  arrangement.finish { arranged.append($0) }
  requireOrder(arranged)
  require(count(arranged) { if case .header = $0 { true } else { false } } == outline.count, "other headers")
  let isPoint: (ActivityItem) -> Bool = { if case .point = $0 { true } else { false } }
  require(count(arranged, isPoint) == count(items, isPoint), "other points after arranging")
  for activity in activities(arranged) {
    guard case .header(let header) = activity[0], header.content == .activity else { continue }
    require(count(activity) { if case .summary = $0 { true } else { false } } == 1, "not one summary")
    require(
      count(activity) { if case .lap = $0 { true } else { false } } == header.laps.count, "not the laps of the header")
  }
}

private func count(_ items: [ActivityItem], _ condition: (ActivityItem) -> Bool) -> Int {
  items.reduce(0) { condition($1) ? $0 + 1 : $0 }
}

/// Each with its header.
private func activities(_ items: [ActivityItem]) -> [[ActivityItem]] {
  var result: [[ActivityItem]] = []
  for item in items {
    if case .header = item { result.append([]) }
    result[result.count - 1].append(item)
  }
  return result
}

private func requireRoundTrip(_ items: [ActivityItem]) {
  guard let written = write(items) else { return }
  let again = reread(written)
  guard let twice = write(again) else { fatalError("finding: what was read back cannot be written") }
  require(points(reread(twice)) == points(again), "writing again gives other points")
  for item in again {
    if case .warning(let text) = item { fatalError("finding: what was written gives a warning: \(text)") }
    if case .omission(let text) = item { fatalError("finding: what was written has something unknown: \(text)") }
  }
}

private func reread(_ bytes: [UInt8]) -> [ActivityItem] {
  guard case .success(let items) = read(bytes, inPieces: 4096) else {
    fatalError("finding: what was written cannot be read")
  }
  return items
}

/// With times from the first point on, because the start of an activity can follow from its points.
private func points(_ items: [ActivityItem]) -> [ActivityPoint] {
  let points = items.compactMap { item in if case .point(let point) = item { point } else { nil } }
  return points.map { point in
    var point = point
    point.t -= points[0].t
    return point
  }
}

/// nil if FIT cannot hold the activity, for example because its date is unknown.
private func write(_ items: [ActivityItem]) -> [UInt8]? {
  var writer = FITWriter()
  var bytes: [UInt8] = []
  do throws(ActivityFileError) {
    for item in items { try writer.write(item, into: &bytes) }
    try writer.finish(into: &bytes)
  } catch {
    return nil
  }
  bytes.replaceSubrange(..<14, with: writer.fileHeader)
  return bytes
}
