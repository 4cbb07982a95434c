// Damaged logbooks: recording goes on, and what is whole is brought back. SALVAGE_SEEDS says how many
// random ones are tried.

import Foundation
import Linux
import LogbookFiles
import SQLite
import TestSupport
import Testing

@testable import Logbook

@Suite struct SalvageTests {
  private static var seeds: ClosedRange<UInt64> {
    1...(ProcessInfo.processInfo.environment["SALVAGE_SEEDS"].flatMap(UInt64.init) ?? 20)
  }

  private func run(_ work: some SlicedWork) throws {
    var steps = 0
    while try work.step() {
      steps += 1
      try #require(steps < 20_000)
    }
  }

  /// As the recorder does: what a check finds is moved aside at the next start.
  private func open(_ path: String) throws -> LogbookFile {
    do {
      let file = try LogbookFile(path)
      if file.event != nil { return file }
      let check = CheckWork(file.database)
      try run(check)
      if check.damage == nil { return file }
      LogbookFile.condemn(path)
    }
    return try LogbookFile(path)
  }

  private func addRide(to database: Database) throws -> Int64 {
    var row = StoredActivity()
    row.uuid = [UInt8](repeating: 0xee, count: 16)
    row.name = "After the damage"
    let id = try ActivityTable(database).insert(row)
    try database.execute("INSERT INTO second VALUES(\(id) << 32, x'00')")
    return id
  }

  @Test("every second in an untouched page is salvaged, and none is invented", arguments: seeds)
  func random(seed: UInt64) throws {
    let original = DamagedLogbook.original
    let damaged = try DamagedLogbook(seed: seed)
    let file = try open(damaged.path)
    let ride = try addRide(to: file.database)
    #expect(file.event == nil || ride > 6, "the ids of the damaged logbook stay free")
    var outcome = SalvageWork.Outcome()
    for place in MovedLogbooks.unread(of: damaged.path) {
      let work = try SalvageWork(place, copyingTo: damaged.copyPath, into: file.database)
      try run(work)
      outcome = work.outcome
    }
    #expect(!Files.exists(damaged.copyPath))
    var found = try DamagedLogbook.seconds(in: file.database)
    #expect(found.removeValue(forKey: StoredSecond(activity: ride, second: 0)) == [0])
    let wrong = found.filter { original.seconds[$0.key] != $0.value }.keys
    #expect(wrong.isEmpty, "\(wrong.count) seconds differ from what was recorded")
    let missing = damaged.untouched.subtracting(found.keys)
    #expect(missing.isEmpty, "\(missing.count) whole seconds are missing")
    guard file.event != nil else { return }
    #expect(outcome.seconds == found.count)
    let lost = original.seconds.count - found.count
    let activities = try DamagedLogbook.activities(in: file.database).filter { $0.key != ride }
    if activities == original.activities {
      #expect(outcome.lostSeconds == lost)
    } else {
      // The end of an activity is in its row.
      print("seed \(seed): \(outcome.lostSeconds) of \(lost) lost seconds are known")
    }
    let check = CheckWork(file.database)
    try file.database.execute("DELETE FROM second WHERE activity = \(ride)")
    try run(check)
    #expect(check.damage == nil)
  }
}
