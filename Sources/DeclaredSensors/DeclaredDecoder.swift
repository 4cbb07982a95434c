// The plugin of a declared sensor: runs the program of its file. A packet that is refused changes
// nothing, because counters, kept values and records come after the last check.

public import SensorKit

public struct DeclaredDecoder: SensorDecoder {
  private let program: SensorProgram
  private var registers: Registers
  private var counters: [CounterState]
  /// The counters before the current packet, and their registers.
  private var earlierCounters: [CounterState]
  private var earlierRegisters = Registers()
  /// For each packet, the number that `Once` had last.
  private var lastOnce: [Double]
  /// Until when a command waits for its answer.
  private var answerDeadline: MonotonicTime?
  /// For each step of the start, when its keep-alive is due.
  private var keepAlives: [MonotonicTime?]
  private var isResting = false

  public init(_ program: SensorProgram, settings: SensorSettings) {
    self.program = program
    registers = Registers(for: program)
    counters = program.counters.map { CounterState($0) }
    earlierCounters = counters
    lastOnce = program.packets.map { _ in .nan }
    keepAlives = program.start.map { _ in nil }
    settingsChanged(settings)
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    let circumference = settings.circumferenceMM.flatMap { $0 > 0 && $0.isFinite ? $0 / 1000 : nil }
    registers[RegisterMap.circumference] = circumference ?? .nan
    registers[RegisterMap.wheel] =
      switch settings.role {
      case .front: WheelText.front
      case .rear: WheelText.rear
      case .left, .right, nil: .nan
      }
    updateRest()
  }

  /// The condition sees counters, kept values and settings.
  @inline(__always)
  private mutating func updateRest() {
    guard let rests = program.rests else { return }
    let noPacket: [UInt8] = []
    isResting = registers.holds(rests, program, noPacket.span)
  }

  public var silence: Silence {
    isResting ? Silence(staleAfter: program.info.silence.staleAfter, reconnectAfter: nil) : program.info.silence
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    guard !value.isEmpty else { throw DecodeError(.empty, at: 0) }
    guard value.count <= Registers.mostBytes else { throw DecodeError(.outOfRange, at: 0) }
    prepare(value, source)
    let index = try packet(value, source)
    let packet = program.packetCodes[index]
    if packet.comparesSender { registers[RegisterMap.sender] = SenderAddress.number(source.sender.address) }
    registers.forget(Int(packet.firstRegister)..<Int(packet.endOfRegisters))
    var reading = PacketReading(value.count)
    try reading.run(Int(packet.read), program, value, &registers)
    let once = packet.hasOnce ? once(index, value) : .nan
    if packet.hasOnce, once == lastOnce[index] { return }
    if packet.hasReadings { count(index, value, at: time) }
    var writer = RecordWriter()
    writer.run(Int(packet.publish), program, value, &registers, into: &batch)
    if batch.overflowed {
      if packet.hasReadings { uncount(index) }
      throw DecodeError(.outOfRange, at: value.count)
    }
    if packet.hasOnce { lastOnce[index] = once }
    if packet.keeps { keep(index, value) }
    if packet.keeps || packet.hasReadings { updateRest() }
    if packet.hasReadings { endReadings(index) }
    if writer.hasAnswer { answerDeadline = nil }
  }
}

// MARK: Reading

extension DeclaredDecoder {
  @inline(__always)
  private mutating func prepare(_ value: Span<UInt8>, _ source: borrowing PacketSource) {
    registers[RegisterMap.length] = Double(value.count)
    registers[RegisterMap.company] =
      if case .manufacturer(let company) = source.origin { Double(company) } else { .nan }
  }

  /// The first packet of the file that comes from there and matches.
  @inline(__always)
  private mutating func packet(_ value: Span<UInt8>, _ source: borrowing PacketSource) throws(DecodeError) -> Int {
    switch source.origin {
    case .notified(let service, let characteristic): try packet(service, characteristic, .notified, value)
    case .indicated(let service, let characteristic): try packet(service, characteristic, .indicated, value)
    case .read(let service, let characteristic): try packet(service, characteristic, .read, value)
    case .manufacturer, .serviceData: try advertPacket(value, source)
    }
  }

  private mutating func packet(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ verb: SourceVerbs, _ value: Span<UInt8>
  ) throws(DecodeError) -> Int {
    var isKnown = false
    for index in program.characteristicRoutes.indices {
      let route = program.characteristicRoutes[index]
      guard route.characteristic == characteristic, route.service == service, route.verbs.contains(verb) else {
        continue
      }
      isKnown = true
      if matches(route.packet, value) { return route.packet }
    }
    // A value that is notified instead of indicated, for example, has the same meaning.
    for index in program.characteristicRoutes.indices where !isKnown {
      let route = program.characteristicRoutes[index]
      guard route.characteristic == characteristic, route.service == service else { continue }
      if matches(route.packet, value) { return route.packet }
    }
    throw DecodeError(.unknownFrame, at: 0)
  }

  private mutating func advertPacket(
    _ value: Span<UInt8>, _ source: borrowing PacketSource
  ) throws(DecodeError) -> Int {
    for index in program.advertRoutes.indices where program.advertRoutes[index].carries(source.origin) {
      let route = program.advertRoutes[index]
      if route.hasName, !program.accepts(source.sender.name, route) { continue }
      if matches(route.packet, value) { return route.packet }
    }
    throw DecodeError(.unknownFrame, at: 0)
  }

  @inline(__always)
  private mutating func matches(_ packet: Int, _ value: Span<UInt8>) -> Bool {
    guard program.packetCodes[packet].hasMatch, let match = program.packets[packet].match else { return true }
    return registers.holds(match, program, value)
  }

  private mutating func once(_ packet: Int, _ value: Span<UInt8>) -> Double {
    program.packets[packet].once.map { registers.run($0, program, value) } ?? .nan
  }
}

// MARK: Lines of refusals

extension DeclaredDecoder {
  /// The line of the file that refused the last packet. The search is slow.
  func line(ofRefused value: Span<UInt8>, from source: PacketSource) -> Int {
    var decoder = self
    let index = value.isEmpty ? nil : try? decoder.packet(value, source)
    guard let index else { return program.line(ofSource: source, isEmpty: value.isEmpty) }
    var search = RefusalSearch(program, registers)
    return search.line(ofPacket: index, value)
  }
}

// MARK: Counters and what is kept

extension DeclaredDecoder {
  private mutating func count(_ packet: Int, _ value: Span<UInt8>, at time: MonotonicTime) {
    for index in program.packets[packet].readings {
      let reading = program.readings[index]
      earlierCounters[reading.counter] = counters[reading.counter]
      let own = RegisterMap.registers(ofCounter: reading.counter)
      for register in own { earlierRegisters[register] = registers[register] }
      let count = registers.run(reading.count, program, value)
      let clock = reading.clock.map { registers.run($0, program, value) } ?? 0
      let unit = reading.unit.map { registers.run($0, program, value) } ?? 1
      guard !count.isNaN, !clock.isNaN, unit > 0 else {
        // The last packet did not have it, so whether it stands is unknown.
        registers[own.lowerBound + 3] = .nan
        continue
      }
      let result = counters[reading.counter].read(
        Registers.lowestBits(count), Registers.lowestBits(clock), at: time, unit: unit)
      registers[own.lowerBound] = result.rate
      registers[own.lowerBound + 1] = result.delta
      registers[own.lowerBound + 2] = result.total
      if !result.isStopped.isNaN { registers[own.lowerBound + 3] = result.isStopped }
    }
  }

  /// Undoes `count`.
  private mutating func uncount(_ packet: Int) {
    for index in program.packets[packet].readings {
      let counter = program.readings[index].counter
      counters[counter] = earlierCounters[counter]
      for register in RegisterMap.registers(ofCounter: counter) { registers[register] = earlierRegisters[register] }
    }
  }

  private mutating func keep(_ packet: Int, _ value: Span<UInt8>) {
    for index in program.packets[packet].kept {
      let field = program.kept[index]
      if registers[field.register].isNaN { continue }
      if field.hasBytes {
        registers.keep(field, program, value)
      } else {
        registers[field.kept] = registers[field.register]
      }
    }
  }

  /// Rates and differences are those of the current packet.
  private mutating func endReadings(_ packet: Int) {
    for index in program.packets[packet].readings {
      let first = RegisterMap.registers(ofCounter: program.readings[index].counter).lowerBound
      registers[first] = .nan
      registers[first + 1] = .nan
    }
  }
}

// MARK: The link

extension DeclaredDecoder {
  public mutating func connected(at time: MonotonicTime, into batch: inout Batch) {
    for index in program.start.indices {
      switch program.start[index] {
      case .subscribe(let service, let characteristic): batch.subscribe(service, characteristic)
      case .read(let service, let characteristic): batch.read(service, characteristic)
      case .write(let write): self.write(write, into: &batch)
      case .keepAlive(_, let interval): keepAlives[index] = time + interval
      }
    }
  }

  public mutating func disconnecting(into batch: inout Batch) {
    for write in program.stop { self.write(write, into: &batch) }
  }

  public mutating func disconnected() {
    registers.forget(program.keptRegisters)
    answerDeadline = nil
    for index in keepAlives.indices { keepAlives[index] = nil }
    updateRest()
  }

  public var deadline: MonotonicTime? {
    var earliest = answerDeadline
    for due in keepAlives {
      if let due, due < earliest ?? due + .seconds(1) { earliest = due }
    }
    return earliest
  }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    if let deadline = answerDeadline, deadline <= time {
      answerDeadline = nil
      batch.answer()
      batch.set(.result, "timeout")
    }
    for index in keepAlives.indices {
      guard let due = keepAlives[index], due <= time, case .keepAlive(let write, let interval) = program.start[index]
      else { continue }
      keepAlives[index] = time + interval
      self.write(write, into: &batch)
    }
  }

  /// A write whose number is unknown is left out.
  private mutating func write(_ write: WriteProgram, into batch: inout Batch) {
    WriteBytes(write, program, &registers)?.write(write, into: &batch)
  }
}

// MARK: Commands

extension DeclaredDecoder {
  public var awaitsAnswer: Bool { answerDeadline != nil }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    guard let known = program.commands.first(where: { $0.name == command.name }) else { throw .notSupported }
    guard answerDeadline == nil else { throw .busy }
    if known.takesValue {
      guard let value = command.value, value.isFinite, known.range?.contains(value) ?? true, isWord(value, of: known)
      else { throw .badValue }
      registers[RegisterMap.value] = value
    }
    for write in known.writes {
      guard let bytes = WriteBytes(write, program, &registers) else { throw .badValue }
      bytes.write(write, into: &batch)
    }
    answerDeadline = known.answerWithin.map { time + $0 }
  }

  private func isWord(_ value: Double, of command: CommandProgram) -> Bool {
    guard let rows = command.rows else { return true }
    return program.tableRows[rows].contains { Double($0.number) == value }
  }

  public mutating func commandFailed() {
    answerDeadline = nil
  }
}
