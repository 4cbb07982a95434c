// Fixes, wheel packets and pressures allocate nothing. The time that they take is printed. Needs
// optimised code: `swift test -c release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import Testing

@testable import Metrics

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct RoadAllocationTests {
  @Test("wheel packets, fixes and pressures allocate nothing")
  func roadAllocations() {
    var road = RoadSimulator([(.open, 1_000...1_000)], wheel: WheelSensor(missesEvery: 15), seed: 1)
    var reception: [RoadSimulator.Reception] = []
    while road.metres < 20_000 { road.advance { reception.append($0) } }
    var (size, elevation, metres, changes) = (WheelSize(circumferenceM: 2.142), Elevation(), 0.0, 0)
    var counted = (wheel: 0, fix: 0)
    let clock = ContinuousClock()
    let before = allocation_count()
    let start = clock.now
    for each in reception {
      switch each {
      case .wheel(let turns, let rate, let time):
        counted.wheel += 1
        size.add(turns: turns, rate: rate, at: time)
        metres += 7
        elevation.add(distanceM: metres, at: time)
        elevation.add(pressurePa: 96_000 - metres / 100, at: time)
        if elevation.gradePct(at: time) != nil { changes += 1 }
      case .fix(let fix):
        counted.fix += 1
        if size.add(fix) != nil { changes += 1 }
        elevation.add(fix)
      }
    }
    let spent = clock.now - start
    #expect(allocation_count() - before == 0)
    #expect(changes > 1_000)
    #expect(size.isMeasured)
    print("\(counted.fix) fixes and \(counted.wheel) packets: \(spent), \(spent / (counted.fix + counted.wheel)) each")
  }
}
