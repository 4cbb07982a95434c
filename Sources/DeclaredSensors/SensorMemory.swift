// What a declared sensor remembers of its packets besides registers: counters, and numbers of `Once`.

internal import SensorKit

struct SensorMemory {
  private var counters: [CounterState]
  /// The counters before the current packet, and their registers.
  private var earlierCounters: [CounterState]
  private var earlierRegisters = InlineArray<64, Double>(repeating: .nan)
  /// Whether these are those before the current packet.
  private var canUndo = false
  /// For each packet, the number that `Once` had last.
  private var lastOnce: [Double]
  private(set) var isResting = false

  init(_ program: SensorProgram) {
    counters = program.counters.map { CounterState($0) }
    earlierCounters = counters
    lastOnce = program.packets.map { _ in .nan }
  }
}

// MARK: Counters

extension SensorMemory {
  /// Reads a counter whose values are computed.
  @inline(never)
  mutating func count(
    _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, at time: MonotonicTime,
    _ registers: inout Registers
  ) {
    let reading = program.readings[index]
    let count = registers.run(reading.count, program, bytes)
    let clock = reading.clock.map { registers.run($0, program, bytes) } ?? 0
    let unit = reading.unit.map { registers.run($0, program, bytes) } ?? 1
    self.count(reading.counter, count, clock, unit, at: time, &registers)
  }

  @inline(__always)
  mutating func count(
    _ counter: Int, _ count: Double, _ clock: Double, _ unit: Double, at time: MonotonicTime,
    _ registers: inout Registers
  ) {
    guard !count.isNaN, !clock.isNaN, unit > 0 else { return Self.missCount(counter, &registers) }
    let first = UInt8(truncatingIfNeeded: RegisterMap.counters.lowerBound + 4 * counter)
    let result = counters[counter].read(
      Registers.lowestBits(count), Registers.lowestBits(clock), at: time, unit: unit)
    registers[first] = result.rate
    registers[first + 1] = result.delta
    registers[first + 2] = result.total
    if !result.isStopped.isNaN { registers[first + 3] = result.isStopped }
  }

  /// The last packet did not have it, so whether it stands is unknown.
  @inline(__always)
  static func missCount(_ counter: Int, _ registers: inout Registers) {
    registers[UInt8(truncatingIfNeeded: RegisterMap.counters.lowerBound + 4 * counter + 3)] = .nan
  }

  /// Prepares `uncount`.
  @inline(never)
  mutating func rememberCounters(_ packet: Int, _ program: SensorProgram, _ registers: Registers) {
    canUndo = true
    for index in program.packets[packet].readings {
      let counter = program.readings[index].counter
      earlierCounters[counter] = counters[counter]
      for register in RegisterMap.registers(ofCounter: counter) {
        earlierRegisters[Int(register) - RegisterMap.counters.lowerBound] = registers[register]
      }
    }
  }

  /// Nothing needs to be undone.
  mutating func forgetCounters() { canUndo = false }

  /// Undoes what the packet counted.
  @inline(never)
  mutating func uncount(_ packet: Int, _ program: SensorProgram, _ registers: inout Registers) {
    for index in program.packets[packet].readings {
      let counter = program.readings[index].counter
      let own = RegisterMap.registers(ofCounter: counter)
      guard canUndo else {
        Self.endReading(own.lowerBound, &registers)
        continue
      }
      counters[counter] = earlierCounters[counter]
      for register in own { registers[register] = earlierRegisters[Int(register) - RegisterMap.counters.lowerBound] }
    }
  }

  /// Rate and difference are those of the current packet.
  @inline(__always)
  static func endReading(_ first: UInt8, _ registers: inout Registers) {
    registers[first] = .nan
    registers[first &+ 1] = .nan
  }
}

// MARK: What is remembered

extension SensorMemory {
  func isRepeated(_ packet: Int, _ once: Double) -> Bool { once == lastOnce[packet] }

  mutating func remember(_ packet: Int, once: Double) { lastOnce[packet] = once }

  mutating func rest(_ isResting: Bool) { self.isResting = isResting }
}
