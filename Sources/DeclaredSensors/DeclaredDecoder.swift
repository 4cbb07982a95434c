// The plugin of a declared sensor: runs the program of its file. A packet that is refused changes
// nothing, because counters, kept values and records come after the last check.

public import SensorKit

public struct DeclaredDecoder: SensorDecoder {
  private let program: SensorProgram
  // The arrays of the program that every packet needs. A copy of the reference saves a look-up.
  private let packetCodes: [PacketCode]
  private let characteristicRoutes: [CharacteristicRoute]
  /// The sender of the last advertisement.
  private var sender = KnownSender()
  private var registers: Registers
  private var memory: SensorMemory
  private var layouts: PacketLayouts
  /// Until when a command waits for its answer.
  private var answerDeadline: MonotonicTime?
  /// For each step of the start, when its keep-alive is due.
  private var keepAlives: [MonotonicTime?]

  public init(_ program: SensorProgram, settings: SensorSettings) {
    self.init(program, settings: settings, usesLayouts: true)
  }

  /// Tests compare both.
  package init(_ program: SensorProgram, settings: SensorSettings, usesLayouts: Bool) {
    self.program = program
    packetCodes = program.packetCodes
    characteristicRoutes = program.characteristicRoutes
    registers = Registers(for: program)
    memory = SensorMemory(program)
    layouts = PacketLayouts(program, isUsed: usesLayouts)
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
    memory.rest(registers.holds(rests, program, noPacket.span))
  }

  public var silence: Silence {
    memory.isResting ? Silence(staleAfter: program.info.silence.staleAfter, reconnectAfter: nil) : program.info.silence
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    guard !value.isEmpty else { throw DecodeError(.empty, at: 0) }
    guard value.count <= Registers.mostBytes else { throw DecodeError(.outOfRange, at: 0) }
    registers[RegisterMap.length] = Double(value.count)
    let index = try packet(value, source)
    let packet = packetCodes[index]
    if packet.traits == .isSingle, let single = program.singles[index] {
      return try single.decode(value, into: &batch)
    }
    var start = Int(packet.start)
    if packet.traits.contains(.comparesSender) {
      know(source.sender)
      registers[RegisterMap.sender] = sender.address
    }
    if !packet.traits.isDisjoint(with: .needsPreparation) {
      start = prepare(index, packet, value, intoEmpty: batch.entryIndices.isEmpty)
    }
    var run = PacketRun()
    try run.run(layouts.code, from: start, of: program, value, at: time, &registers, &memory, into: &batch)
    if batch.overflowed, !packet.traits.contains(.commits) { throw DecodeError(.outOfRange, at: value.count) }
    if run.hasAnswer { answerDeadline = nil }
  }

  /// Returns the first instruction.
  @inline(__always)
  private mutating func prepare(
    _ index: Int, _ packet: PacketCode, _ value: Span<UInt8>, intoEmpty isEmpty: Bool
  ) -> Int {
    if packet.traits.contains(.hasReadings) {
      // Counters need not be undone if the records are sure to fit.
      if packet.traits.contains(.mayOverflow) || !isEmpty {
        memory.rememberCounters(index, program, registers)
      } else {
        memory.forgetCounters()
      }
    }
    if packet.traits.contains(.hasKey), let key = program.packetKeys[index],
      key.offset + key.form.width <= value.count,
      let layout = layouts.start(index, key.form.read(value, at: key.offset), program)
    {
      return layout
    }
    registers.forget(packet.registers)
    return Int(packet.start)
  }
}

// MARK: Routes

extension DeclaredDecoder {
  /// The first packet of the file that comes from there and matches.
  @inline(__always)
  private mutating func packet(_ value: Span<UInt8>, _ source: borrowing PacketSource) throws(DecodeError) -> Int {
    switch source.origin {
    case .notified(let service, let characteristic): try packet(service, characteristic, .notified, value)
    case .indicated(let service, let characteristic): try packet(service, characteristic, .indicated, value)
    case .read(let service, let characteristic): try packet(service, characteristic, .read, value)
    case .manufacturer(let company): try advertPacket(value, source, company: Double(company))
    case .serviceData: try advertPacket(value, source, company: .nan)
    }
  }

  /// The number of a packet for the process of the file.
  mutating func number(of value: Span<UInt8>, from source: PacketSource) throws(DecodeError) -> Int {
    guard !value.isEmpty else { throw DecodeError(.empty, at: 0) }
    guard value.count <= Registers.mostBytes else { throw DecodeError(.outOfRange, at: 0) }
    registers[RegisterMap.length] = Double(value.count)
    return try packet(value, source)
  }

  @inline(__always)
  private mutating func packet(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ verb: SourceVerbs, _ value: Span<UInt8>
  ) throws(DecodeError) -> Int {
    registers[RegisterMap.company] = .nan
    for index in characteristicRoutes.indices {
      let route = characteristicRoutes[index]
      guard route.characteristic == characteristic, route.service == service,
        route.verbs.contains(verb)
      else { continue }
      let packet = route.packet
      if !route.hasMatch || matches(packet, value) { return packet }
    }
    return try packetOfOtherVerb(service, characteristic, verb, value)
  }

  /// A value that is notified instead of indicated, for example, has the same meaning.
  @inline(never)
  private mutating func packetOfOtherVerb(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ verb: SourceVerbs, _ value: Span<UInt8>
  ) throws(DecodeError) -> Int {
    // Those with the right verb did not match.
    let isKnown = characteristicRoutes.contains {
      $0.characteristic == characteristic && $0.service == service && $0.verbs.contains(verb)
    }
    for index in characteristicRoutes.indices where !isKnown {
      let route = characteristicRoutes[index]
      guard route.characteristic == characteristic, route.service == service else { continue }
      if matches(route.packet, value) { return route.packet }
    }
    throw DecodeError(.unknownFrame, at: 0)
  }

  private mutating func advertPacket(
    _ value: Span<UInt8>, _ source: borrowing PacketSource, company: Double
  ) throws(DecodeError) -> Int {
    registers[RegisterMap.company] = company
    know(source.sender)
    for index in program.advertRoutes.indices where program.advertRoutes[index].carries(source.origin) {
      guard sender.accepts(index, program) else { continue }
      let route = program.advertRoutes[index]
      if !route.hasMatch || matches(route.packet, value) { return route.packet }
    }
    throw DecodeError(.unknownFrame, at: 0)
  }

  @inline(__always)
  private mutating func know(_ sender: Sender) {
    if !self.sender.isOf(sender) { self.sender = KnownSender(sender, program) }
  }

  private mutating func matches(_ packet: Int, _ value: Span<UInt8>) -> Bool {
    guard let match = program.packets[packet].match else { return true }
    return registers.holds(match, program, value)
  }
}

// MARK: Lines of refusals

extension DeclaredDecoder {
  /// The line of the file that refused the last packet, if it has one about its source. The search is slow.
  func line(ofRefused value: Span<UInt8>, from source: PacketSource) -> Int? {
    var decoder = self
    let index = value.isEmpty ? nil : try? decoder.packet(value, source)
    guard let index else { return program.line(ofSource: source, isEmpty: value.isEmpty) }
    var search = RefusalSearch(program, registers)
    return search.line(ofPacket: index, value)
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

  public mutating func answered() {
    answerDeadline = nil
  }
}
