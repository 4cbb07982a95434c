// A spool in a folder of its own, and a broker that takes what it sends.

import Fleet
import JSON
import Linux
import TestSupport
import Testing
import Time

@testable import Spool

/// Of the boot in which most tests run.
let bootID: [UInt8] = [1]

/// The payload of a batch follows from its number, so that a reader can check it.
func payload(_ number: UInt64, length: Int) -> [UInt8] {
  var random = SeededRandom(number)
  var bytes = Array("batch \(number) ".utf8)
  while bytes.count < length { bytes.append(UInt8(truncatingIfNeeded: random.next())) }
  return bytes
}

func records(of number: UInt64) -> Int { Int(number % 7) + 1 }

/// A batch ends a second after it began, and one follows another.
func summary(_ number: UInt64) -> BatchSummary {
  let t = MonotonicTime(seconds: Double(number))
  let time = number % 3 == 0 ? nil : WallTime(seconds: 1_795_000_000 + Int64(number))
  return BatchSummary(
    number: number, records: records(of: number), from: RecordMoment(t: t, time: time),
    to: RecordMoment(t: t + .milliseconds(900), time: time))
}

final class SpoolWorld {
  private(set) var spool: BatchSpool
  let folder: String
  let limit: Int64
  var now = MonotonicTime(seconds: 1000)
  /// What the broker has received, by number.
  private(set) var received: [UInt64: Int] = [:]
  private(set) var losses: [LossRecord] = []
  private(set) var lossNumbers: Set<UInt64> = []
  private(set) var unacknowledged: [UInt64] = []
  private let problemBox: Problems

  private final class Problems {
    var all: [SpoolProblem] = []
  }

  init(_ folder: String, limit: Int64 = 64 << 20) {
    (self.folder, self.limit) = (folder, limit)
    let box = Problems()
    problemBox = box
    spool = BatchSpool(folder: folder, limit: limit, bootID: bootID, at: now) { box.all.append($0) }
  }

  var said: [String] { problemBox.all.map(\.description) }

  /// The program ends as a crash would end it, and starts again.
  func restart(boot: UInt8 = bootID[0]) {
    let box = problemBox
    unacknowledged = []
    spool = BatchSpool(folder: folder, limit: limit, bootID: [boot], at: now) { box.all.append($0) }
  }

  @discardableResult
  func append(length: Int = 300) -> UInt64 {
    let number = spool.nextNumber
    let bytes = payload(number, length: length)
    spool.append(summary(number), bytes.span, at: now)
    return number
  }

  /// Sends one, without an acknowledgement. Returns what was sent.
  func send() -> SpoolItem? {
    var bytes: [UInt8] = []
    guard let item = spool.next(into: &bytes, at: now) else { return nil }
    unacknowledged.append(item.number)
    switch item {
    case .batch(let number):
      received[number, default: 0] += 1
      #expect(bytes == payload(number, length: bytes.count))
    case .loss(let number, let record):
      losses.append(record)
      lossNumbers.insert(number)
    }
    return item
  }

  func acknowledge(_ number: UInt64) {
    unacknowledged.removeAll { $0 == number }
    spool.acknowledge(number, at: now)
  }

  func recall() {
    unacknowledged = []
    spool.recallUnacknowledged(at: now)
  }

  /// Sends and acknowledges all that waits.
  func drain() {
    while true {
      while send() != nil {}
      guard let first = unacknowledged.first else { return }
      acknowledge(first)
    }
  }

  /// The segments, without other files.
  static func segments(in folder: String) throws -> [String] {
    try Files.names(in: folder).map { folder + "/" + $0 }
  }
}
