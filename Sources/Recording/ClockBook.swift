// What is known about the wall clock. A recording counts from boot; the offset between both clocks
// dates it, whenever that becomes known. Within an activity only one offset is used, so that a step
// of the clock does not make a jump.

import Logbook
import SQLite

final class ClockBook {
  enum Source: String {
    /// Whatever the computer began with.
    case rtc
    case ntp
    case gps

    var rank: Int {
      switch self {
      case .rtc: 1
      case .ntp: 2
      case .gps: 3
      }
    }

    /// Of an activity's date. A date that a user or a file gave is better than all.
    static func rank(_ text: String?) -> Int { text.map { Source(rawValue: $0)?.rank ?? 9 } ?? 0 }
  }

  private struct Knowledge {
    var offset: Int64
    var source: Source
  }

  private struct Learnt {
    let atBootMS: Int64
    let knowledge: Knowledge
  }

  /// A clock that moves by less did not step.
  static let tolerance: Int64 = 200

  private let boot: [UInt8]
  private let utcOffset: (Int64) -> Int?
  private var latest: Knowledge?
  private var best: Knowledge?
  private var learnt: [Learnt] = []

  /// `utcOffset` is local time minus UTC, in seconds, at a time in milliseconds.
  init(boot: [UInt8], in database: Database, utcOffset: @escaping (Int64) -> Int?) {
    (self.boot, self.utcOffset) = (boot, utcOffset)
    // Without it, the time is learnt again.
    try? recall(database)
  }

  private func recall(_ database: Database) throws(SQLiteError) {
    let query = try database.prepare("SELECT utc_ms - at_boot_ms, source FROM clock WHERE boot = ?1 ORDER BY id")
    try bindBoot(query)
    while try query.step() {
      take(Knowledge(offset: query.integer(0), source: query.text(1).flatMap(Source.init) ?? .rtc))
    }
  }

  private func bindBoot(_ statement: Statement) throws(SQLiteError) {
    let boot = boot
    try statement.bind(1, boot.span)
  }

  private func take(_ knowledge: Knowledge) {
    latest = knowledge
    if knowledge.source.rank >= best?.source.rank ?? 0 { best = knowledge }
  }

  /// UTC of a boot time, both in milliseconds; nil while the clock is not set.
  func utc(_ bootMS: Int64) -> Int64? { best.map { bootMS + $0.offset } }

  /// Whether something was learnt that is not stored.
  var hasNews: Bool { !learnt.isEmpty }

  /// Returns how far the clock moved if it is news; 0 if it is known for the first time.
  func note(utcMS: Int64, bootMS: Int64, source: Source) -> Int64? {
    let offset = utcMS - bootMS
    let moved = latest.map { offset - $0.offset } ?? 0
    guard latest == nil || moved.magnitude > Self.tolerance || latest?.source != source else { return nil }
    let knowledge = Knowledge(offset: offset, source: source)
    take(knowledge)
    learnt.append(Learnt(atBootMS: bootMS, knowledge: knowledge))
    return moved
  }

  /// Within a transaction. Dates the activities of this boot, and returns those that changed.
  func store(in database: Database) throws(SQLiteError) -> [Int64] {
    guard hasNews else { return [] }
    let insertion = try database.prepare("INSERT INTO clock(boot, at_boot_ms, utc_ms, source) VALUES(?1, ?2, ?3, ?4)")
    for row in learnt {
      try bindBoot(insertion)
      try insertion.bind(2, row.atBootMS)
      try insertion.bind(3, row.atBootMS + row.knowledge.offset)
      try insertion.bind(4, row.knowledge.source.rawValue)
      try insertion.step()
    }
    return try date(in: database)
  }

  func didStore() { learnt.removeAll(keepingCapacity: true) }

  /// Dates what this boot recorded: an activity without a date, one whose source is worse, and the
  /// open one. Also called when one begins.
  func date(in database: Database) throws(SQLiteError) -> [Int64] {
    guard let best else { return [] }
    var dated: [(id: Int64, utcMS: Int64)] = []
    for activity in try BootActivity.all(of: boot, in: database) {
      let utcMS = activity.zeroBootMS + best.offset
      let rank = Source.rank(activity.utcSource)
      let isBetter = rank < best.source.rank || activity.isRecording && rank == best.source.rank
      if isBetter, activity.startUTCMS != utcMS { dated.append((activity.id, utcMS)) }
    }
    let update = try database.prepare(
      """
      UPDATE activity SET start_utc_ms = ?2, sort_ms = ?2, utc_source = ?3, utc_offset_s = ?4, version = version + 1
      WHERE id = ?1
      """)
    for (id, utcMS) in dated {
      try update.bind(1, id)
      try update.bind(2, utcMS)
      try update.bind(3, best.source.rawValue)
      try update.bind(4, utcOffset(utcMS))
      try update.step()
    }
    return dated.map(\.id)
  }
}
