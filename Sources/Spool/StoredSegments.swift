// What earlier runs left in the files of a spool.

import Linux

struct StoredSegments {
  /// The oldest first.
  private(set) var segments: [Segment] = []
  private(set) var losses: [Loss] = []
  /// Of the newest file, also if it cannot be read.
  private(set) var lastIndex: UInt64 = 0
  private(set) var acknowledged: UInt64 = 0
  private(set) var nextNumber: UInt64 = 1
  /// How many batches there can be after the last entry that could be read.
  private(set) var unread: UInt64 = 0
  /// The newest entry is an end.
  private(set) var isEnded = false
  private var walk = SegmentWalk()

  init(_ names: [String], in folder: String, report: (SpoolProblem) -> Void) {
    for name in names {
      guard let segment = Segment.existing(name, in: folder) else { continue }
      lastIndex = max(lastIndex, segment.index)
      unread += Self.mostBatches(in: segment.length)
      do throws(SystemError) {
        try read(segment, report)
      } catch {
        report(.notReadable(error))
      }
      segment.closeReader()
    }
  }

  private static func mostBatches(in bytes: Int64) -> UInt64 { UInt64(bytes) / UInt64(SpoolEntry.headerLength) }

  private mutating func read(_ segment: Segment, _ report: (SpoolProblem) -> Void) throws(SystemError) {
    isEnded = false
    switch try segment.readHeader() {
    case .newer: return report(.newerFormat(path: segment.path))
    case .damaged: report(.damaged(path: segment.path, offset: 0))
    case .known: nextNumber = max(nextNumber, segment.first)
    }
    segments.append(segment)
    unread = 0
    var place = Int64(Segment.headerLength)
    while true {
      let step: SegmentWalk.Step
      do throws(SystemError) {
        step = try walk.step(segment, at: place)
      } catch {
        unread = Self.mostBatches(in: segment.length - place)
        segment.cut(to: place)
        throw error
      }
      switch step {
      case .entry(let entry, _):
        place += entry.length
        add(entry, of: segment)
      case .damage(let range): place = range.upperBound
      case .end(let end):
        if end < segment.length { report(.torn(path: segment.path, bytes: segment.length - end)) }
        return segment.cut(to: end)
      }
    }
  }

  private mutating func add(_ entry: SpoolEntry, of segment: Segment) {
    switch entry.kind {
    case .batch: segment.contain(entry.number)
    case .acknowledgement: acknowledged = max(acknowledged, entry.number)
    case .loss: losses.append(Loss(entry))
    case .end: break
    }
    isEnded = entry.kind == .end
    nextNumber = max(nextNumber, entry.number + 1)
  }
}
