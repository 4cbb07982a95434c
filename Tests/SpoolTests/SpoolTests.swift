// The spool when all is well, when it is full, after damage, and on a disk that takes nothing.

import Fleet
import Linux
import TestSupport
import Testing
import Time

@testable import Spool

@Suite struct SpoolTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.file("spool") }

  init() throws { temporary = try TemporaryFolder() }

  @Test("batches leave in order, each with its acknowledgement")
  func order() {
    let world = SpoolWorld(folder)
    for _ in 0..<5 { world.append() }
    #expect(world.spool.counts.batches == 5)
    #expect(world.spool.counts.records == (1...5).reduce(0) { $0 + records(of: $1) })
    let items = (0..<5).map { _ in world.send()?.number }
    #expect(items == [1, 2, 3, 4, 5])
    #expect(world.send() == nil)
    #expect(world.spool.counts.batches == 5)
    for number in [2, 1, 3, 5, 4] as [UInt64] { world.acknowledge(number) }
    #expect(world.spool.counts.batches == 0)
    #expect(world.spool.counts.records == 0)
    world.acknowledge(4)
    world.acknowledge(99)
    #expect(world.spool.unacknowledged == 0)
    #expect(world.said.isEmpty)
  }

  @Test("numbers go on after restarts, also when nothing waits")
  func numbers() {
    let world = SpoolWorld(folder)
    for round in 0..<50 {
      let number = world.append()
      #expect(number == UInt64(round) + 1)
      if round % 3 == 0 { world.restart() }
      world.drain()
      world.restart()
      #expect(world.spool.counts.batches == 0)
      #expect(world.spool.nextNumber == number + 1)
      world.drain()
    }
    #expect(world.received.count == 50)
    #expect(world.said.isEmpty)
  }

  @Test("what was not acknowledged is sent again, from the oldest on")
  func recall() {
    let world = SpoolWorld(folder)
    for _ in 0..<30 { world.append() }
    for _ in 0..<10 { _ = world.send() }
    for number in [1, 2, 4] as [UInt64] { world.acknowledge(number) }
    world.recall()
    #expect(world.spool.counts.batches == 27)
    #expect(world.send() == .batch(3))
    #expect(world.send() == .batch(5))
    world.drain()
    #expect(world.received.count == 30)
    #expect(world.spool.counts.batches == 0)
    #expect(world.spool.counts.records == 0)
  }

  @Test("a batch that can never be sent becomes a loss, and a loss is forgotten", arguments: [false, true])
  func unsendable(isRestarted: Bool) {
    let world = SpoolWorld(folder)
    for _ in 0..<6 { world.append() }
    #expect(world.send() == .batch(1))
    #expect(world.send() == .batch(2))
    world.spool.lose(2, at: world.now)
    #expect(world.said == ["lost batches 2 to 2 (\(records(of: 2)) records)"])
    #expect(world.spool.unacknowledged == 1)
    #expect(world.spool.counts.batches == 5)
    #expect(world.spool.counts.records == allRecords(1...6) - records(of: 2))
    if isRestarted {
      world.restart()
      #expect(world.send() == .batch(1))
    }
    let record = LossRecord(records: records(of: 2), batches: 2...2, from: summary(2).from, to: summary(2).to)
    #expect(world.send() == .loss(2, record))
    world.recall()
    #expect(world.send() == .batch(1))
    #expect(world.send() == .loss(2, record))
    world.spool.lose(2, at: world.now)
    world.acknowledge(1)
    world.recall()
    world.drain()
    #expect(world.losses == [record, record])
    #expect(world.received.keys.sorted() == [1, 2, 3, 4, 5, 6])
    #expect(world.spool.counts.batches == 0 && world.spool.counts.records == 0)
    world.restart()
    #expect(world.send() == nil)
  }

  @Test("a batch is read from its file once, however often it is asked for")
  func readOnce() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<3 { world.append(length: 9_000) }
    world.restart()
    #expect(world.spool.hasNext)
    let path = try #require(try SpoolWorld.segments(in: folder).first)
    let content = try Files.read(path)
    // In place, because the spool has the file open.
    try Files.writeInPlace(path, [UInt8](repeating: 0, count: content.count))
    #expect(world.spool.hasNext)
    #expect(world.send() == .batch(1))
    try Files.writeInPlace(path, content)
    world.drain()
    world.recall()
    #expect(world.received == [1: 1, 2: 1, 3: 1])
    #expect(world.losses.isEmpty)
  }

  @Test("at most 20 wait for their acknowledgement")
  func window() {
    let world = SpoolWorld(folder)
    for _ in 0..<100 { world.append() }
    let first = (0..<100).count { _ in world.send() != nil }
    #expect(first == 20)
    #expect(!world.spool.hasNext)
    world.acknowledge(2)
    #expect(world.send() == nil)
    world.acknowledge(1)
    #expect(world.spool.hasNext)
    let second = (0..<100).count { _ in world.send() != nil }
    #expect(second == 2)
  }

  @Test("acknowledged segments leave the disk, and the newest stays")
  func removal() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<200 { world.append(length: 40_000) }
    #expect(try SpoolWorld.segments(in: folder).count == 8)
    world.drain()
    #expect(try SpoolWorld.segments(in: folder).count == 1)
    #expect(world.spool.counts.bytes <= 1 << 20)
  }

  @Test("a start reads all segments and keeps none of them open")
  func descriptors() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<200 { world.append(length: 40_000) }
    world.restart()
    #expect(openDescriptors().keys.filter { $0.hasPrefix(folder) } == [])
    _ = world.send()
    #expect(openDescriptors().keys.filter { $0.hasPrefix(folder) }.count == 1)
    world.drain()
    #expect(world.received.keys.sorted() == Array(1...200))
  }

  @Test("what was stored is synced after 10 s and at the end")
  func sync() {
    let world = SpoolWorld(folder)
    #expect(world.spool.deadline == nil)
    world.append()
    #expect(world.spool.deadline == world.now + .seconds(10))
    world.now = world.now + .seconds(5)
    world.append()
    #expect(world.spool.deadline == world.now + .seconds(5))
    world.spool.timePassed(at: world.now)
    #expect(world.spool.deadline != nil)
    world.now = world.now + .seconds(5)
    world.spool.timePassed(at: world.now)
    #expect(world.spool.deadline == nil)
    world.append()
    world.spool.close(at: world.now)
    #expect(world.spool.deadline == nil)
  }

  @Test("a file of a newer release is left alone")
  func newer() throws {
    let world = SpoolWorld(folder)
    world.append()
    let path = try #require(try SpoolWorld.segments(in: folder).first)
    var content = try Files.read(path)
    content[7] = 2
    try Files.replace(path, with: content, mode: 0o600)
    world.restart()
    #expect(world.send() == nil)
    #expect(world.said.count == 1)
    #expect(world.said[0].hasSuffix("install that release"))
    world.append()
    world.drain()
    #expect(try Files.read(path) == content)
  }

  @Test("a day without a broker and 100 restarts in the middle of a batch lose nothing")
  func restarts() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    let world = SpoolWorld(folder)
    for _ in 0..<100 {
      for _ in 0..<random.below(30) { world.append(length: 20 + random.below(20_000)) }
      for _ in 0..<random.below(40) { _ = world.send() }
      for number in world.unacknowledged where random.below(3) > 0 { world.acknowledge(number) }
      if random.below(3) == 0 { world.recall() }
      world.restart()
    }
    let last = world.spool.nextNumber - 1
    world.drain()
    #expect(world.received.keys.sorted() == Array(1...last), "seed \(seed)")
    #expect(world.losses.isEmpty)
    #expect(world.said.isEmpty)
    #expect(world.spool.counts.batches == 0)
  }
}

private func allRecords(_ numbers: ClosedRange<UInt64>) -> Int { numbers.reduce(0) { $0 + records(of: $1) } }

// MARK: When the spool is full

@Suite struct OverflowTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.file("spool") }

  init() throws { temporary = try TemporaryFolder() }

  @Test("the oldest go, and one loss tells how many and from when to when", arguments: [false, true])
  func overflow(isRestarted: Bool) throws {
    let world = SpoolWorld(folder, limit: 3 << 20)
    for count in 0..<500 {
      world.append(length: 20_000)
      if isRestarted, count % 40 == 0 { world.restart() }
      #expect(world.spool.counts.bytes <= 3 << 20)
    }
    world.drain()
    let first = try #require(world.received.keys.min())
    #expect(world.received.keys.sorted() == Array(first...500))
    let waited = 3 << 20 - 1 << 20 - 20_100
    #expect(world.received.count * 20_100 >= waited)
    let loss = try #require(world.losses.first)
    #expect(world.losses.count == 1)
    #expect(loss.batches == [1, Int(first) - 1])
    #expect(loss.records == allRecords(1...first - 1))
    #expect(loss.fromT == MonotonicTime(seconds: 1))
    #expect(loss.from == WallTime(seconds: 1_795_000_001))
    #expect(loss.toT == MonotonicTime(seconds: Double(first - 1)) + .milliseconds(900))
    #expect(world.spool.counts.records == 0)
    // It is not told again.
    world.restart()
    #expect(world.send() == nil)
  }

  @Test("a loss is what is missing, and after a crash never less", arguments: [false, true])
  func partly(crashes: Bool) throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    let world = SpoolWorld(folder, limit: 2 << 20)
    var delivered: Set<UInt64> = []
    for _ in 0..<600 {
      world.append(length: 10_000 + random.below(20_000))
      if random.below(6) == 0 { _ = world.send() }
      if random.below(8) == 0, let number = world.unacknowledged.randomElement(using: &random) {
        world.acknowledge(number)
        if !world.lossNumbers.contains(number) { delivered.insert(number) }
      }
      switch random.below(60) {
      case 0: world.recall()
      case 1: if crashes { world.restart() }
      default: break
      }
    }
    world.drain()
    let lost = world.losses.reduce(into: Set<UInt64>()) { numbers, loss in
      numbers.formUnion(UInt64(loss.batches[0])...UInt64(loss.batches[1]))
    }
    // Everything arrived or is lost. A loss is never less than what is missing.
    let missing = Set(1...600).subtracting(world.received.keys)
    #expect(missing.isSubset(of: lost), "seed \(seed)")
    for loss in world.losses {
      let numbers = UInt64(loss.batches[0])...UInt64(loss.batches[1])
      // After a crash, a batch that was acknowledged can lie within.
      let isRight = crashes ? loss.records ?? 0 <= allRecords(numbers) : loss.records == allRecords(numbers)
      #expect(isRight, "seed \(seed)")
    }
    // Nothing that was acknowledged is told as lost.
    if !crashes { #expect(lost.isDisjoint(with: delivered), "seed \(seed)") }
    #expect(world.spool.counts.batches == 0)
    #expect(world.spool.counts.records == 0)
  }
}

// MARK: Damage

@Suite struct SpoolDamageTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.file("spool") }

  init() throws { temporary = try TemporaryFolder() }

  @Test("the program can be killed at every byte that it writes, and nothing that was written is lost")
  func everyCut() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<6 { world.append(length: 80) }
    for _ in 0..<3 { _ = world.send() }
    world.acknowledge(1)
    world.acknowledge(2)
    world.append(length: 80)
    let path = try #require(try SpoolWorld.segments(in: folder).first)
    let content = try Files.read(path)
    var ends: [(end: Int, batches: UInt64, acknowledged: UInt64)] = [(Segment.headerLength, 0, 0)]
    for (batches, acknowledged) in [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (6, 1), (6, 2), (7, 2)] {
      let isBatch = batches > Int(ends[ends.count - 1].batches)
      let length = SpoolEntry.headerLength + (isBatch ? 80 : 0)
      ends.append((ends[ends.count - 1].end + length, UInt64(batches), UInt64(acknowledged)))
    }
    #expect(ends.last?.end == content.count)
    for cut in 0...content.count {
      let copy = temporary.file("copy-\(cut)")
      try Files.createDirectory(copy, mode: 0o700)
      try Files.replace(
        copy + "/" + String(path.split(separator: "/").last ?? ""), with: Array(content[..<cut]), mode: 0o600)
      let survivor = SpoolWorld(copy)
      survivor.append(length: 80)
      survivor.drain()
      let state = ends.last { $0.end <= cut } ?? (0, 0, 0)
      // Without a header, nothing tells whether numbers were used.
      let hasHeader = cut >= Segment.headerLength
      let expected = hasHeader ? Array(state.acknowledged + 1...state.batches + 1) : [BatchSpool.mostUnsynced + 1]
      #expect(survivor.received.keys.sorted() == expected, "cut at \(cut)")
      #expect(survivor.losses.isEmpty == hasHeader, "cut at \(cut)")
    }
  }

  @Test("damage anywhere loses only what it hits, and that is told")
  func flips() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    for round in 0..<60 {
      let folder = temporary.file("flips-\(round)")
      let world = SpoolWorld(folder, limit: 64 << 20)
      for _ in 0..<60 { world.append(length: 20 + random.below(30_000)) }
      world.spool.close(at: world.now)
      let paths = try SpoolWorld.segments(in: folder)
      var flipped = 0
      for path in paths where random.below(3) > 0 {
        var content = try Files.read(path)
        // Not the header of the file, nor what was written last: that could be the end of all.
        let room = content.count - Segment.headerLength - 31_000
        guard room > 0 else { continue }
        content[Segment.headerLength + random.below(room)] ^= 1 << UInt8(random.below(8))
        try Files.replace(path, with: content, mode: 0o600)
        flipped += 1
      }
      world.restart()
      world.drain()
      let missing = Set(1...60).subtracting(world.received.keys)
      #expect(missing.count == flipped, "seed \(seed), round \(round)")
      let lost = world.losses.flatMap { UInt64($0.batches[0])...UInt64($0.batches[1]) }
      #expect(Set(lost) == missing, "seed \(seed), round \(round)")
      for loss in world.losses where loss.records != nil && loss.batches[0] == loss.batches[1] {
        #expect(loss.records == records(of: UInt64(loss.batches[0])))
      }
      #expect(world.said.count { $0.contains("damaged at byte") } == flipped, "seed \(seed), round \(round)")
      #expect(world.received.values.allSatisfy { $0 == 1 })
      // What was damaged and told is not told again.
      world.restart()
      #expect(world.send() == nil, "seed \(seed), round \(round)")
    }
  }

  @Test("a segment that cannot be read is lost, and all others are sent", arguments: [0, 3, 7])
  func unreadable(index: Int) throws {
    let world = SpoolWorld(folder)
    for _ in 0..<200 { world.append(length: 40_000) }
    let paths = try SpoolWorld.segments(in: folder)
    #expect(paths.count == 8)
    try Files.remove(paths[index])
    // Not even root can read it.
    try Files.createDirectory(paths[index], mode: 0o700)
    world.restart()
    let next = world.append()
    world.drain()
    #expect(world.said.count == 1 && world.said[0].contains("cannot read"), "\(world.said)")
    let inOne = (1 << 20) / 40_068
    let missing = Set(1...200).subtracting(world.received.keys)
    #expect(missing.count == (index < 7 ? inOne : 200 - 7 * inOne))
    #expect(world.received[next] == 1 && next > 200)
    #expect(world.received.count == 201 - missing.count)
    // Without the oldest segment, nothing tells where the numbers began.
    guard index > 0 else { return }
    let loss = try #require(world.losses.first)
    #expect(world.losses.count == 1)
    #expect(loss.records == nil)
    #expect(loss.batches == [missing.min().map(Int.init), index < 7 ? missing.max().map(Int.init) : Int(next) - 1])
  }

  @Test("a read error that passes costs nothing, and what follows waits for it")
  func passingReadError() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<200 { world.append(length: 40_000) }
    let path = try SpoolWorld.segments(in: folder)[2]
    try Files.rename(path, to: temporary.file("away"))
    try Files.createDirectory(path, mode: 0o700)
    for _ in 0..<20 {
      world.drain()
      world.now = world.now + .seconds(20)
    }
    #expect(world.received.count == 2 * (1 << 20) / 40_068)
    #expect(world.said.count == 1 && world.said[0].contains("cannot read"))
    try Files.rename(path, to: temporary.file("folder"))
    try Files.rename(temporary.file("away"), to: path)
    world.drain()
    #expect(world.received.keys.sorted() == Array(1...200))
    #expect(world.losses.isEmpty)
    #expect(world.said.count == 1)
    #expect(world.spool.counts.batches == 0 && world.spool.counts.records == 0)
  }

  @Test("a segment that stays unreadable is dropped after 10 min, or in a full spool", arguments: [false, true])
  func lastingReadError(isFull: Bool) throws {
    let world = SpoolWorld(folder, limit: isFull ? 8 << 20 : 64 << 20)
    for _ in 0..<200 { world.append(length: 40_000) }
    let path = try SpoolWorld.segments(in: folder)[0]
    // Four batches are whole. The bridge has not read any of them.
    try Files.replace(path, with: Array(try Files.read(path).prefix(200_000)), mode: 0o600)
    if isFull {
      while world.spool.nextNumber <= 210 { world.append(length: 40_000) }
    } else {
      world.drain()
      #expect(world.received.keys.sorted() == [1, 2, 3, 4])
      world.now = world.now + .seconds(599)
      world.drain()
      #expect(world.received.count == 4)
      world.now = world.now + .seconds(2)
    }
    world.drain()
    let last = world.spool.nextNumber - 1
    let inOne = (1 << 20) / 40_068
    #expect(world.received.keys.sorted() == (isFull ? [] : [1, 2, 3, 4]) + Array(UInt64(inOne) + 1...last))
    #expect(world.losses.map(\.batches) == [[isFull ? 1 : 5, inOne]])
    #expect(world.losses.first?.records == nil)
    #expect(world.said.contains("lost batches 5 to \(inOne)") == !isFull)
    #expect(world.spool.counts.batches == 0 && world.spool.counts.records == 0)
  }

  @Test("files of noise crash nothing, and new batches pass")
  func noise() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    try Files.createDirectory(folder, mode: 0o700)
    for index in 1...20 {
      let length = random.below(9_000)
      var content = (0..<length).map { _ in UInt8(random.below(256)) }
      if index % 2 == 0 { content = Segment.mark + [UInt8](repeating: 0, count: 8) + content }
      let name = String(String(1_000_000_000_000 + index).dropFirst())
      try Files.replace(folder + "/\(name).batches", with: content, mode: 0o600)
    }
    try Files.replace(folder + "/notes.txt", with: Array("mine".utf8), mode: 0o600)
    let world = SpoolWorld(folder)
    for _ in 0..<30 { world.append() }
    world.drain()
    #expect(world.received.count == 30, "seed \(seed)")
    #expect(try Files.read(folder + "/notes.txt") == Array("mine".utf8))
  }

  @Test("after a power failure no number comes again, and the numbers that are skipped are told once")
  func lostNumbers() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<5 { world.append() }
    world.drain()
    let path = try #require(try SpoolWorld.segments(in: folder).first)
    let synced = try Files.read(path)
    for _ in 0..<4 { world.append() }
    world.drain()
    #expect(world.received.keys.max() == 9)
    // The power fails before the next sync, and fails again after the start.
    try Files.replace(path, with: synced, mode: 0o600)
    world.restart(boot: 2)
    #expect(world.spool.nextNumber == 38)
    world.restart(boot: 2)
    #expect(world.append() == 38)
    world.drain()
    #expect(world.losses == [LossRecord(records: nil, batches: 6...37, from: nil, to: nil)])
    world.restart(boot: 3)
    #expect(world.append() == 71)
    world.drain()
    #expect(world.losses.map(\.batches) == [[6, 37], [39, 70]])
    #expect(world.received.values.allSatisfy { $0 == 1 })
    #expect(world.said.isEmpty)
  }

  @Test("after a clean end, numbers go on without a gap in another boot")
  func cleanEnd() throws {
    let world = SpoolWorld(folder)
    world.spool.close(at: world.now)
    #expect(try SpoolWorld.segments(in: folder).isEmpty)
    for boot in 2...5 as ClosedRange<UInt8> {
      world.append()
      world.spool.close(at: world.now)
      world.restart(boot: boot)
      let files = try SpoolWorld.segments(in: folder).count
      // A run that stores nothing.
      world.spool.close(at: world.now)
      world.restart(boot: 100 + boot)
      #expect(try SpoolWorld.segments(in: folder).count == files)
    }
    world.append()
    world.drain()
    #expect(world.received.keys.sorted() == [1, 2, 3, 4, 5])
    #expect(world.losses.isEmpty && world.said.isEmpty)
    // Later entries end it.
    world.restart(boot: 200)
    #expect(world.spool.nextNumber == 6 + BatchSpool.mostUnsynced)
  }

  @Test("a power failure that leaves zeros at the end loses only those batches")
  func zeros() throws {
    let world = SpoolWorld(folder)
    for _ in 0..<10 { world.append(length: 500) }
    let path = try #require(try SpoolWorld.segments(in: folder).first)
    var content = try Files.read(path)
    for index in content.count - 900..<content.count { content[index] = 0 }
    try Files.replace(path, with: content, mode: 0o600)
    world.restart()
    #expect(world.said.count == 1)
    #expect(world.said[0].hasSuffix("not written to its end"))
    world.append(length: 500)
    world.drain()
    #expect(world.received.keys.sorted() == [1, 2, 3, 4, 5, 6, 7, 8, 10])
    #expect(
      world.losses == [LossRecord(records: records(of: 9), batches: 9...9, from: summary(9).from, to: summary(9).to)])
  }
}

// MARK: Storage that takes nothing

@Suite(.enabled(if: SmallDisk.isAvailable, "mounting needs a privilege"))
struct SpoolStorageTests {
  @Test("a full disk is reported once, the newest batches wait in memory, and all arrive")
  func full() throws {
    let disk = try SmallDisk(bytes: 1 << 20)
    let world = SpoolWorld(disk.path + "/spool")
    world.append(length: 10_000)
    try disk.fill()
    for _ in 0..<20 {
      world.append(length: 20_000)
      world.now = world.now + .seconds(11)
      world.spool.timePassed(at: world.now)
    }
    #expect(world.said.count == 1)
    #expect(world.said[0].contains("only in memory"))
    #expect(world.spool.counts.batches == 21)
    try disk.empty()
    world.now = world.now + .seconds(11)
    world.spool.timePassed(at: world.now)
    #expect(world.said.count == 2)
    // They are on the disk now.
    world.restart()
    world.drain()
    #expect(world.received.keys.sorted() == Array(1...21))
    #expect(world.losses.isEmpty)
  }

  @Test("a disk that stays full costs the oldest batches, and the loss is exact")
  func fullForLong() throws {
    let disk = try SmallDisk(bytes: 1 << 20)
    let world = SpoolWorld(disk.path + "/spool")
    try disk.fill()
    for _ in 0..<200 { world.append(length: 20_000) }
    world.drain()
    let first = try #require(world.received.keys.min())
    #expect(first > 1)
    #expect(world.received.keys.sorted() == Array(first...200))
    #expect(world.losses.map(\.batches) == [[1, Int(first) - 1]])
    #expect(world.losses.first?.records == (1..<first).reduce(0) { $0 + records(of: $1) })
  }

  @Test("a folder that becomes read-only crashes nothing, and all arrives")
  func readOnly() throws {
    let disk = try SmallDisk(bytes: 4 << 20)
    let folder = disk.path + "/spool"
    do {
      let world = SpoolWorld(folder)
      world.append()
    }
    try disk.setReadOnly(true)
    let world = SpoolWorld(folder)
    for _ in 0..<10 { world.append() }
    world.drain()
    #expect(world.received.keys.sorted() == Array(1...11))
    #expect(world.said.count == 1)
    try disk.setReadOnly(false)
    world.spool.close(at: world.now)
    #expect(world.said.count == 2)
  }

  @Test("a disk that becomes read-only costs only what memory cannot hold, and nothing of its files")
  func readOnlyForLong() throws {
    let disk = try SmallDisk(bytes: 8 << 20)
    let world = SpoolWorld(disk.path + "/spool")
    for _ in 0..<110 { world.append(length: 20_000) }
    // Without open files.
    world.restart()
    try disk.setReadOnly(true)
    for _ in 0..<110 { world.append(length: 20_000) }
    #expect(world.said.count { $0.contains("only in memory") } == 1)
    try disk.setReadOnly(false)
    world.drain()
    let loss = try #require(world.losses.first)
    #expect(world.losses.count == 1)
    #expect(loss.batches[0] > 110 && loss.batches[1] < 200)
    let lost = UInt64(loss.batches[0])...UInt64(loss.batches[1])
    #expect(world.received.keys.sorted() == (1...220).filter { !lost.contains($0) })
    #expect(loss.records == allRecords(lost))
    #expect(world.spool.counts.batches == 0)
    #expect(world.spool.counts.records == 0)
  }

  @Test("a memory segment that is dropped after a part of it was sent loses only the rest")
  func readOnlyWhileSending() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    let temporary = try TemporaryFolder()
    try Files.replace(temporary.file("spool"), with: [], mode: 0o600)
    let world = SpoolWorld(temporary.file("spool"))
    for _ in 0..<600 {
      world.append(length: 10_000 + random.below(20_000))
      if random.below(3) == 0 { _ = world.send() }
      if random.below(4) == 0, let number = world.unacknowledged.randomElement(using: &random) {
        world.acknowledge(number)
      }
      if random.below(60) == 0 { world.recall() }
    }
    world.drain()
    let lost = world.losses.flatMap { UInt64($0.batches[0])...UInt64($0.batches[1]) }
    let missing = Set(1...600).subtracting(world.received.keys)
    #expect(!missing.isEmpty && missing.isSubset(of: lost), "seed \(seed)")
    for loss in world.losses {
      #expect(loss.records == allRecords(UInt64(loss.batches[0])...UInt64(loss.batches[1])), "seed \(seed)")
    }
    #expect(world.spool.counts.batches == 0)
    #expect(world.spool.counts.records == 0)
  }

  @Test("a disk is writable again only when it has stored something")
  func nothingToStore() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.file("spool")
    try Files.replace(folder, with: [], mode: 0o600)
    let world = SpoolWorld(folder)
    func passTime() {
      for _ in 0..<5 {
        world.now = world.now + .seconds(11)
        world.spool.timePassed(at: world.now)
      }
    }
    passTime()
    world.append()
    passTime()
    try #require(world.said.count == 1, "\(world.said)")
    #expect(world.said[0].contains("only in memory"))
    try Files.remove(folder)
    passTime()
    #expect(world.said.dropFirst() == ["batches are stored again"])
    world.restart()
    world.drain()
    #expect(world.received == [1: 1])
  }

  @Test("a folder that cannot be made is reported, and batches pass through memory")
  func noFolder() throws {
    let temporary = try TemporaryFolder()
    try Files.replace(temporary.file("spool"), with: [], mode: 0o600)
    let world = SpoolWorld(temporary.file("spool"))
    for _ in 0..<10 { world.append() }
    world.drain()
    #expect(world.received.count == 10)
    #expect(!world.said.isEmpty)
  }
}
