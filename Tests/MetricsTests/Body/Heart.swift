// Hearts whose truth is known: intervals made of a mean, noise of a known kind, and a known rate of breathing; and straps that send them,
// to the moment or once a second and late. Everything random is seeded.

import Foundation
import SensorKit
import TestSupport

@testable import Metrics

extension SeededRandom {
  mutating func uniform() -> Double { Double(next() >> 11) / Double(1 << 53) }

  mutating func normal() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * Double.pi * uniform())
  }
}

enum Heart {
  static func white(_ count: Int, seed: UInt64) -> [Double] {
    var random = SeededRandom(seed)
    return (0..<count).map { _ in random.normal() }
  }

  static func brown(_ count: Int, seed: UInt64) -> [Double] {
    var sum = 0.0
    return white(count, seed: seed).map {
      sum += $0
      return sum
    }
  }

  /// 1/f: cosines at all frequencies down to a hundredth of the length, each with its own phase and the root of 1/f as its height.
  static func pink(_ count: Int, seed: UInt64) -> [Double] {
    var random = SeededRandom(seed)
    var noise = [Double](repeating: 0, count: count)
    for harmonic in 1...(2 * count) {
      let frequency = Double(harmonic) / Double(4 * count)
      let phase = 2 * Double.pi * random.uniform()
      for index in 0..<count {
        noise[index] += cos(2 * Double.pi * frequency * Double(index) + phase) / frequency.squareRoot()
      }
    }
    return noise
  }

  /// Around a mean and with a standard deviation, milliseconds, rounded as a strap rounds.
  static func intervals(_ noise: [Double], mean: Double, deviation: Double) -> [Double] {
    let middle = noise.reduce(0, +) / Double(noise.count)
    let spread = (noise.map { ($0 - middle) * ($0 - middle) }.reduce(0, +) / Double(noise.count)).squareRoot()
    return noise.map { rounded(mean + ($0 - middle) / spread * deviation) }
  }

  /// To 1/1024 s.
  static func rounded(_ ms: Double) -> Double { (ms * 1.024).rounded() / 1.024 }

  /// A heart that breathing speeds up and slows down: `depth` to each side, milliseconds; plus the heart's own noise (1/f) and
  /// of measuring (white), both as standard deviations.
  static func breathing(
    perMinute: Double, mean: Double, depth: Double, own: Double = 0, measured: Double = 0, seconds: Double,
    seed: UInt64
  ) -> [Double] {
    let count = Int(seconds * 1000 / mean * 1.3)
    let pink = own > 0 ? intervals(Self.pink(count, seed: seed), mean: 0, deviation: own) : []
    let white = Self.white(count, seed: seed &+ 1)
    var time = 0.0
    var series: [Double] = []
    while time < seconds, series.count < count {
      let index = series.count
      var interval = mean + depth * sin(2 * Double.pi * perMinute / 60 * time) + measured * white[index]
      if own > 0 { interval += pink[index] }
      interval = rounded(max(260, interval))
      series.append(interval)
      time += interval / 1000
    }
    return series
  }
}

/// A strap that sends each interval the moment its beat is there.
struct Strap {
  var hrv = HeartRateVariability()
  var nanoseconds: Int64 = 1_000_000_000_000

  var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

  var rmssd: Estimate? { asked { $0.rmssd(at: now) } }
  var sdnn: Estimate? { asked { $0.sdnn(at: now) } }
  var alpha1: Estimate? { asked { $0.dfaAlpha1(at: now) } }
  var breaths: Estimate? { asked { $0.breathsPerMinute(at: now) } }

  /// Asking judges what waits, and leaves the strap as it is.
  private func asked(_ question: (inout HeartRateVariability) -> Estimate?) -> Estimate? {
    var hrv = hrv
    return question(&hrv)
  }

  mutating func wait(_ seconds: Double) { nanoseconds += Int64(seconds * 1e9) }

  mutating func send(_ intervals: [Double]) {
    for interval in intervals {
      wait(interval / 1000)
      hrv.add(rrMs: interval, at: now)
    }
  }

  /// Once a second with all that came since, each packet late by up to `jitter` seconds.
  mutating func sendBySecond(_ intervals: [Double], jitter: Double, seed: UInt64) {
    var random = SeededRandom(seed)
    var beat = now.seconds
    var tick = now.seconds + 1
    var waiting: [Double] = []
    for interval in intervals {
      beat += interval / 1000
      while beat > tick {
        if !waiting.isEmpty {
          let arrival = MonotonicTime(seconds: tick + jitter * random.uniform())
          hrv.add(rrMs: waiting.span, at: max(arrival, now))
          nanoseconds = max(arrival, now).nanoseconds
          waiting = []
        }
        tick += 1
      }
      waiting.append(interval)
    }
  }
}
