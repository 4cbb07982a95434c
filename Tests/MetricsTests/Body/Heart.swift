// Simulated hearts with a known mean interval, kind of noise and respiratory rate, and straps that
// send their intervals at each beat, or late and once per second. All random numbers are seeded.

import Foundation
import TestSupport
import Time

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

  /// 1/f noise: a sum of cosines with random phases, each with an amplitude of the root of 1/f.
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

  /// With a mean and a standard deviation in milliseconds, rounded as a strap rounds.
  static func intervals(_ noise: [Double], mean: Double, deviation: Double) -> [Double] {
    let middle = noise.reduce(0, +) / Double(noise.count)
    let spread = (noise.map { ($0 - middle) * ($0 - middle) }.reduce(0, +) / Double(noise.count)).squareRoot()
    return noise.map { rounded(mean + ($0 - middle) / spread * deviation) }
  }

  /// To 1/1024 s.
  static func rounded(_ ms: Double) -> Double { (ms * 1.024).rounded() / 1.024 }

  /// Breathing changes the interval by up to `depth` in each direction. `own` is the standard
  /// deviation of the heart's own 1/f noise, and `measured` that of white measuring noise. All in
  /// milliseconds.
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

/// A strap that sends each interval at the end of the interval.
struct Strap {
  var hrv = HeartRateVariability()
  var nanoseconds: Int64 = 1_000_000_000_000

  var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

  var rmssd: Estimate? { asked { $0.rmssd(at: now) } }
  var sdnn: Estimate? { asked { $0.sdnn(at: now) } }
  var alpha1: Estimate? { asked { $0.dfaAlpha1(at: now) } }
  var breaths: Estimate? { asked { $0.breathsPerMinute(at: now) } }

  /// Works on a copy, because reading an estimate judges the waiting intervals.
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

  /// Sends one packet per second with all new intervals, each late by up to `jitter` seconds.
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
