// The simulated rider: a heart and legs that follow the hills, reproducible by a seed.

struct SimulatedRider {
  private var random: UInt64
  private let resting: Double
  private let hardest: Double
  private var rate: Double
  /// The time of the next beat in seconds, and the length of the interval before it in 1/1024 s.
  private var nextBeat = 0.0
  private var interval: UInt16 = 0

  init(seed: UInt64, resting: Double, hardest: Double) {
    random = seed
    self.resting = resting
    self.hardest = hardest
    rate = resting + 0.3 * (hardest - resting)
    advanceBeat()
  }

  /// Hills of four minutes with shorter ones on top: from 0 (coasting) to 1 (full effort).
  func effort(_ second: Double) -> Double {
    let hills = 0.5 + 0.3 * wave(second / 240) + 0.15 * wave(second / 47)
    return max(0, min(1, hills))
  }

  /// A smooth wave of period 1 between -1 and 1, close enough to a sine for hills.
  private func wave(_ phase: Double) -> Double {
    let place = phase - phase.rounded(.down)
    let half = place < 0.5 ? place : place - 0.5
    let arch = 16 * half * (0.5 - half)
    return place < 0.5 ? arch : -arch
  }

  mutating func packet(atSecond second: Int) -> [UInt8] {
    let now = Double(second)
    let goal = resting + effort(now) * (hardest - resting)
    // The heart follows within about half a minute.
    rate += (goal - rate) / 30
    var intervals: [UInt16] = []
    while nextBeat <= now {
      intervals.append(interval)
      advanceBeat()
    }
    var packet: [UInt8] = [0x16, UInt8(max(30, min(250, rate.rounded())))]
    for interval in intervals { packet += [UInt8(interval & 0xff), UInt8(interval >> 8)] }
    return packet
  }

  private mutating func advanceBeat() {
    let wander = 1 + 0.03 * (nextRandom() - 0.5)
    let ticks = (60 / rate * wander * 1024).rounded()
    interval = UInt16(max(200, min(2048, ticks)))
    nextBeat += Double(interval) / 1024
  }

  /// SplitMix64, scaled to 0..<1.
  mutating func nextRandom() -> Double {
    random &+= 0x9e37_79b9_7f4a_7c15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}
