// The cost of a whole ride, compared with the cost of decoding its packets. A ride allocates
// nothing once every sensor has sent. Needs optimised code: `swift test -c release --filter
// AllocationTests`.

import AllocationCounting
import CAllocationCounter
import Glibc
import SensorKit
import Testing
import Time
import Vocabulary

@testable import Metrics

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"), .serialized)
struct RideAllocationTests {
  /// The packets of a ride in order of arrival, with a fix and a tick every second.
  private struct Recording {
    enum Word {
      case frame(sensor: Int, bytes: Range<Int>)
      /// An index into `fixes`, so that each element of `words` stays small.
      case fix(Int)
      case tick
    }

    var sensors: [StudySensor] = []
    var words: [(word: Word, time: MonotonicTime)] = []
    var bytes: [UInt8] = []
    var fixes: [Fix] = []
    private(set) var frames = 0
    private(set) var seconds = 0

    /// Wheel and pedals send at 4 Hz while they move, and a strap sends at 1 Hz.
    init(seconds: Int, seed: UInt64) {
      var bike = StudyBike(seed: seed)
      for (index, form) in [StudySensor.Form.wheel, .pedals, .strap].enumerated() {
        sensors.append(StudySensor(form, source: index, at: bike.time))
      }
      while self.seconds < seconds {
        bike.ride()
        let time = MonotonicTime(seconds: bike.time)
        let isWhole = bike.time.truncatingRemainder(dividingBy: 1) == 0
        for index in sensors.indices where index < 2 || isWhole {
          let frame = sensors[index].frame(of: bike)
          words.append((.frame(sensor: index, bytes: bytes.count..<bytes.count + frame.count), time))
          bytes += frame
          frames += 1
        }
        guard isWhole else { continue }
        bike.beats.removeAll()
        words.append((.fix(fixes.count), time))
        fixes.append(RideStudy.fix(bike))
        words.append((.tick, time))
        self.seconds += 1
      }
    }
  }

  /// What is done with the packets. Each case includes the work of the ones before it. `read` is
  /// separate because publishing reads the decoded samples even without a ride.
  enum Work: Int, CaseIterable { case decode, read, derive, ride }

  private struct Cost {
    var allocations = 0
    var nanoseconds = 0.0
  }

  /// The first `warmUp` words are not measured.
  private func cost(
    of recording: Recording, _ work: Work, warmUp: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Cost {
    var metrics = Self.metrics()
    var hosts = recording.sensors.map { $0.host }
    let origins = recording.sensors.map { $0.origin }
    var batch = Batch()
    var out = Batch()
    let (words, bytes) = (recording.words.span, recording.bytes.span)
    var (start, before, said) = (processorTime(), 0, 0)
    for index in words.indices {
      if index == warmUp { (before, start) = (allocation_count(), processorTime()) }
      let time = words[index].time
      switch words[index].word {
      case .frame(let sensor, let range):
        batch.removeAll()
        _ = try? hosts[sensor].decode(bytes.extracting(range), from: origins[sensor], at: time, into: &batch)
        guard work >= .read else { continue }
        for index in batch.entryIndices {
          let entry = batch.entry(index)
          said += entry.fields.count
          guard work >= .derive, !entry.isHidden else { continue }
          out.removeAll()
          metrics.add(entry, of: batch, from: sensor, at: time, into: &out)
        }
      case .fix(let fix):
        guard work == .ride else { continue }
        out.removeAll()
        metrics.add(recording.fixes[fix], into: &out)
      case .tick:
        guard work == .ride else { continue }
        out.removeAll()
        metrics.tick(at: time, into: &out)
        said += out.entryIndices.count
        if metrics.nextDeadline != nil { said += 1 }
      }
    }
    let cost = Cost(allocations: allocation_count() - before, nanoseconds: processorTime() - start)
    #expect(work == .decode || said > recording.seconds * 3, "every part was active", sourceLocation: sourceLocation)
    return cost
  }

  private static func metrics() -> RideMetrics {
    var rider = Rider()
    (rider.maxBpm, rider.weightKg, rider.ageYears, rider.sex) = (190, 70, 40, .male)
    var metrics = RideMetrics(rider: rider)
    for (index, id) in ["wheel", "pedals", "strap"].enumerated() {
      let source = metrics.register(
        RideSensor(id: id, circumferenceM: index == 0 ? StudyBike.circumference : nil))
      precondition(source == index)
    }
    return metrics
  }

  @Test("a ride allocates nothing")
  func rideAllocations() {
    let recording = Recording(seconds: 3600, seed: 881_001)
    let cost = cost(of: recording, .ride, warmUp: recording.words.count / 10)
    #expect(cost.allocations == 0)
  }

  @Test("a sample costs a small multiple of its packet")
  func costOfSample() {
    let recording = Recording(seconds: 1800, seed: 881_002)
    var best = Work.allCases.map { _ in Double.infinity }
    // Other load only ever adds time, so the minimum is the best estimate. On a busy machine even
    // the median contains it.
    for _ in 0..<25 {
      for work in Work.allCases {
        best[work.rawValue] = min(best[work.rawValue], cost(of: recording, work, warmUp: 0).nanoseconds)
      }
    }
    let (frames, seconds) = (Double(recording.frames), Double(recording.seconds))
    let (decoding, deriving) = (best[0] / frames, (best[2] - best[1]) / frames)
    print(
      "a packet: \(Int(decoding)) ns to decode, \(Int(deriving)) ns to derive from; a second of fixes, numbers and beats:",
      "\(Int((best[3] - best[2]) / seconds)) ns")
    // Measured: a factor of 1.8 to 3.5, depending on how busy the caches are. Benchmarks/budgets
    // has the exact check, which counts instructions.
    #expect(deriving <= 5 * decoding)
  }
}

extension RideAllocationTests.Work: Comparable {
  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Processor time of this thread, in nanoseconds: other tests do not count.
private func processorTime() -> Double {
  var time = timespec()
  // The pointer does not outlive the call.
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
