// The choice between sensors that come and go, and a distance that continues without a step.

import Testing
import Time

@testable import Metrics

private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: 5000 + seconds) }

struct SourceChooserTests {
  private func chooser(_ priorities: Int...) -> SourceChooser {
    var chooser = SourceChooser(timeout: 3)
    for (source, priority) in priorities.enumerated() { chooser.enter(source, priority: priority) }
    return chooser
  }

  @Test("the first source is used until the preferred one has settled")
  func settling() {
    var chooser = chooser(0, 10)
    let isBelieved = chooser.record(0, at: time(0))
    #expect(isBelieved)
    var since: Double?
    for second in 1...20 {
      let now = Double(second)
      _ = chooser.record(0, at: time(now))
      if chooser.record(1, at: time(now + 0.1)), since == nil { since = now }
    }
    #expect(since == 6, "five seconds after its first packet")
  }

  @Test("a silent source is dropped within its timeout")
  func silentSource() {
    var chooser = chooser(10, 0)
    for quarter in 0..<40 {
      _ = chooser.record(0, at: time(Double(quarter) / 4))
      _ = chooser.record(1, at: time(Double(quarter) / 4 + 0.1))
    }
    #expect(chooser.chosen == 0)
    for quarter in 40..<60 { _ = chooser.record(1, at: time(Double(quarter) / 4)) }
    #expect(chooser.chosen == 1)
    chooser.advance(to: time(30))
    #expect(chooser.live(at: time(30)) == nil, "lost is not live")
  }

  @Test("a source that its session reports as lost is dropped at once")
  func lostSource() {
    var chooser = chooser(10, 0)
    _ = chooser.record(1, at: time(0))
    for second in 0..<10 {
      _ = chooser.record(0, at: time(Double(second)))
      _ = chooser.record(1, at: time(Double(second) + 0.1))
    }
    #expect(chooser.chosen == 0)
    chooser.lost(0, at: time(9.2))
    #expect(chooser.live(at: time(9.2)) == 1)
  }

  @Test("a source that comes and goes is used after growing delays")
  func intermittentSource() {
    var chooser = chooser(10, 0)
    var changes = 0
    var believed = chooser.chosen
    // It sends for 8 s and is silent for 4 s, for half an hour.
    for second in 0..<1800 {
      _ = chooser.record(1, at: time(Double(second)))
      if second % 12 < 8 { _ = chooser.record(0, at: time(Double(second) + 0.1)) }
      if chooser.chosen != believed { (changes, believed) = (changes + 1, chooser.chosen) }
    }
    #expect(changes <= 6 && chooser.chosen == 1)
  }

  @Test("of equal sources, the one that loses fewer packets is chosen")
  func fewerLosses() {
    var chooser = chooser(0, 0)
    for second in 0..<300 {
      // Two of three packets of the first source are missing.
      if second % 3 == 0 || second < 20 { _ = chooser.record(0, at: time(Double(second))) }
      _ = chooser.record(1, at: time(Double(second) + 0.5))
    }
    #expect(chooser.chosen == 1)
  }

  @Test("a small difference does not change the source")
  func smallDifference() {
    var chooser = chooser(0, 0)
    chooser.note(signal: -80, of: 0)
    chooser.note(signal: -60, of: 1)
    for second in 0..<300 {
      _ = chooser.record(0, at: time(Double(second)))
      _ = chooser.record(1, at: time(Double(second) + 0.5))
    }
    #expect(chooser.chosen == 0)
  }
}

struct TellingTests {
  @Test("an unchanged source is published once per second")
  func oncePerSecond() {
    var chooser = SourceChooser(timeout: 3)
    chooser.enter(0, priority: 0)
    var told = 0
    for quarter in 0..<400 where chooser.record(0, at: time(Double(quarter) / 4)) {
      if chooser.tells(8 + Double(quarter % 3), of: 0, at: time(Double(quarter) / 4)) { told += 1 }
    }
    #expect(abs(told - 100) <= 1, "\(told)")
  }

  @Test("a start, an end and a change of source are published at once")
  func publishedAtOnce() {
    var chooser = SourceChooser(timeout: 3)
    let words: [(value: Double, source: Int, isTold: Bool)] = [
      (8, 0, true), (8.1, 0, false), (0, 0, true), (0, 0, false), (3, 0, true), (3.2, 1, true), (3.3, 1, false),
    ]
    for (index, word) in words.enumerated() {
      let isTold = chooser.tells(word.value, of: word.source, at: time(Double(index) / 10))
      #expect(isTold == word.isTold, "value \(index)")
    }
  }
}

struct OdometerTests {
  @Test("revolutions during a gap are credited once")
  func gapIsCredited() {
    var odometer = Odometer()
    // 10 m/s. The wheel is silent from 100 s to 300 s; a receiver replaces it from 150 s to 250 s.
    for second in 1...400 {
      let now = Double(second)
      if second <= 100 || second > 300 {
        let delta = second == 301 ? 2010.0 : 10
        _ = odometer.add(delta, from: 0, isBelieved: second <= 100 || second > 305, at: time(now))
      }
      if (150...400).contains(second) {
        _ = odometer.add(
          nil, speed: 10, from: 1, isBelieved: (150...250).contains(second) || (301...305).contains(second),
          at: time(now + 0.4))
      }
    }
    #expect(abs(odometer.distance - 4000) < 15, "\(odometer.distance)")
  }

  @Test("the distance of a source without a counter is integrated from its speed")
  func withoutCounter() {
    var odometer = Odometer()
    for half in 0...200 { _ = odometer.add(nil, speed: 8, from: 0, isBelieved: true, at: time(Double(half) / 2)) }
    #expect(abs(odometer.distance - 800) < 1e-6)
    // Only the last seconds of a minute of silence count.
    _ = odometer.add(nil, speed: 8, from: 0, isBelieved: true, at: time(160))
    #expect(abs(odometer.distance - 848) < 1e-6)
  }

  @Test("another source takes over without a step")
  func changeOfSource() {
    var odometer = Odometer()
    var way = 0.0
    // 10 m/s. The wheel is silent from 100 s on, and GPS is the source from 103 s on.
    for second in 1...200 {
      if second <= 100 { way += odometer.add(10, from: 0, isBelieved: true, at: time(Double(second))).recent }
      way += odometer.add(10, from: 1, isBelieved: second > 103, at: time(Double(second) + 0.4)).recent
    }
    #expect(abs(way - 2004) < 1, "\(way)")
    #expect(abs(odometer.distance - way) < 1e-9)
  }

  @Test("a credited gap is not counted twice")
  func creditedGap() {
    var odometer = Odometer()
    for second in 1...200 {
      let now = Double(second)
      // The wheel returns at 160 s with all revolutions of the gap, and is the source 5 s later.
      if second <= 100 || second > 160 {
        _ = odometer.add(10, from: 0, isBelieved: second <= 100 || second > 165, at: time(now))
      }
      if second == 160 { _ = odometer.add(600, from: 0, isBelieved: false, at: time(now)) }
      _ = odometer.add(10, from: 1, isBelieved: second > 103 && second <= 165, at: time(now + 0.4))
    }
    #expect(abs(odometer.distance - 2000) < 11, "\(odometer.distance)")
  }

  @Test("without another source, a gap is credited")
  func singleSource() {
    var odometer = Odometer()
    for second in 1...100 { _ = odometer.add(10, from: 0, isBelieved: true, at: time(Double(second))) }
    _ = odometer.add(600, from: 0, isBelieved: true, at: time(160))
    #expect(odometer.distance == 1600)
  }

  @Test("invalid input is skipped")
  func invalidInput() {
    var odometer = Odometer()
    for nonsense in [-5, Double.nan, .infinity] {
      let grown = odometer.add(nonsense, from: 0, isBelieved: true, at: time(1))
      #expect(grown == Odometer.Growth())
    }
    #expect(odometer.distance == 0)
  }
}
