// Values per second, in which a missing value is unknown and not zero.

import Testing
import Time

@testable import Metrics

struct SecondGridTests {
  private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: 1000 + seconds) }

  @Test("a second has the mean of its values")
  func mean() {
    var grid = SecondGrid(holding: 2)
    for quarter in 0..<40 { grid.add(Double(100 + quarter % 4), at: time(Double(quarter) / 4)) }
    grid.advance(to: time(10))
    #expect(grid.mean(ofLast: 3) == 101.5 && grid.mean(ofLast: 10) == 101.5)
  }

  @Test("a zero counts, a silence does not")
  func zeroAndSilence() {
    var grid = SecondGrid(holding: 2)
    for second in 0..<10 { grid.add(second < 5 ? 200 : 0, at: time(Double(second))) }
    grid.advance(to: time(10))
    #expect(grid.mean(ofLast: 10) == 100)
    grid.advance(to: time(20))
    // Two seconds are held, and eight are unknown.
    #expect(grid.mean(ofLast: 3) == nil && grid.mean(ofLast: 10) == nil)
    #expect(grid.mean(ofLast: 20) == 1000.0 / 12)
  }

  @Test("a late packet leaves no hole")
  func latePacket() {
    var grid = SecondGrid(holding: 2)
    for second in stride(from: 0.0, to: 30, by: 1.5) { grid.add(250, at: time(second)) }
    grid.advance(to: time(30))
    #expect(grid.mean(ofLast: 30) == 250)
  }

  @Test("the grid starts unknown")
  func unknownAtFirst() {
    var grid = SecondGrid(holding: 2)
    #expect(grid.mean(ofLast: 3) == nil)
    grid.advance(to: time(5))
    grid.add(100, at: time(5))
    #expect(grid.mean(ofLast: 3) == nil)
    grid.add(100, at: time(6))
    #expect(grid.mean(ofLast: 1) == 100 && grid.mean(ofLast: 3) == nil)
  }

  @Test("invalid and unordered values are skipped")
  func invalidValues() {
    var grid = SecondGrid(holding: 2)
    grid.add(100, at: time(0))
    for nonsense in [Double.nan, .infinity, -.infinity] { grid.add(nonsense, at: time(0.5)) }
    grid.add(900, at: time(-1))
    grid.advance(to: time(1))
    #expect(grid.mean(ofLast: 1) == 100)
  }

  @Test("a day of silence is skipped in one step")
  func dayOfSilenceSkipped() {
    var grid = SecondGrid(holding: 2)
    grid.add(100, at: time(0))
    var seconds = 0
    grid.advance(to: time(86_400)) { _ in seconds += 1 }
    #expect(seconds < 200)
    grid.add(300, at: time(86_400))
    grid.advance(to: time(86_401))
    #expect(grid.mean(ofLast: 1) == 300 && grid.mean(ofLast: 60) == nil)
  }
}
