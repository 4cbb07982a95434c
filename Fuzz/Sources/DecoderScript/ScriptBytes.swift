// Reads a script from bytes and writes it as bytes, with the same layout.

import SensorKit

/// The low half of a step's first byte. The rest of its sixteen values are packets.
private enum Code: UInt8 {
  case connected = 8, disconnected, tick, commandFailed, command, otherCommand, settings, sender
}

/// The encoding of a number.
private enum NumberForm: UInt8 {
  case none, whole, tenths, any
}

extension Script {
  public init(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    let count = 1 + Int(reader.uint8()) % Self.mostPlugins
    plugins = (0..<count).map { _ in Key(code: reader.uint16()) }
    settings = reader.uint8()
    sender = reader.sender()
    steps = []
    while !reader.isAtEnd, steps.count < Self.mostSteps { steps.append(reader.step()) }
  }

  public var bytes: [UInt8] {
    var bytes = [UInt8(plugins.count - 1)]
    for plugin in plugins { bytes.append(plugin.code) }
    bytes.append(settings)
    bytes.append(sender)
    for step in steps { bytes.append(step) }
    return bytes
  }
}

extension ByteReader {
  fileprivate mutating func step() -> Step {
    let code = uint8()
    let pause = Pause(code: uint8())
    let action: Step.Action
    switch Code(rawValue: code & 0x0f) {
    case nil:
      let key = Key(code: uint16())
      let origin = Step.Origin(rawValue: code >> 4) ?? .notified
      let company = uint16()
      action = .packet(key, origin, company: company, take(uint8()))
    case .connected: action = .connected
    case .disconnected: action = .disconnected
    case .tick: action = .tick
    case .commandFailed: action = .commandFailed
    case .command, .otherCommand:
      let key = Key(code: uint16())
      let value = number()
      action = .command(key, value: value, parameters: parameters())
    case .settings: action = .settings(uint8())
    case .sender: action = .sender(sender())
    }
    return Step(pause, action)
  }

  /// Only finite numbers, because JSON has no others.
  private mutating func number() -> Double? {
    switch NumberForm(rawValue: uint8() & 3) {
    case nil, NumberForm.none?: return nil
    case .whole: return Double(Int16(bitPattern: uint16()))
    case .tenths: return Double(Int16(bitPattern: uint16())) / 10
    case .any:
      let number = Double(bitPattern: uint64())
      return number.isFinite ? number : nil
    }
  }

  private mutating func parameters() -> [String: Double] {
    var parameters: [String: Double] = [:]
    for _ in 0..<(uint8() & 3) { parameters[text()] = number() }
    return parameters
  }

  fileprivate mutating func sender() -> Sender {
    let name = text()
    let hasAddress = uint8() & 1 == 1
    return Sender(address: hasAddress ? addressText(take(6)) : "", name: name)
  }

  private mutating func text() -> String {
    String(decoding: take(uint8() & 0x3f), as: UTF8.self)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: UInt16) {
    append(UInt8(number & 0xff))
    append(UInt8(number >> 8))
  }

  fileprivate mutating func append(_ sender: Sender) {
    append(text: sender.name)
    let address = sender.address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    append(UInt8(address.isEmpty ? 0 : 1))
    append(contentsOf: address)
  }

  private mutating func append(text: String) {
    let bytes = text.utf8.prefix(0x3f)
    append(UInt8(bytes.count))
    append(contentsOf: bytes)
  }

  private mutating func append(_ number: Double?) {
    append((number == nil ? NumberForm.none : .any).rawValue)
    guard let number else { return }
    for place in 0..<8 { append(UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * place))) }
  }

  fileprivate mutating func append(_ step: Step) {
    func begin(_ code: UInt8) {
      append(code)
      append(step.pause.code)
    }
    switch step.action {
    case .packet(let key, let origin, let company, let value):
      begin(origin.rawValue << 4)
      append(key.code)
      append(company)
      append(UInt8(Swift.min(value.count, 255)))
      append(contentsOf: value.prefix(255))
    case .connected: begin(Code.connected.rawValue)
    case .disconnected: begin(Code.disconnected.rawValue)
    case .tick: begin(Code.tick.rawValue)
    case .commandFailed: begin(Code.commandFailed.rawValue)
    case .command(let key, let value, let parameters):
      begin(Code.command.rawValue)
      append(key.code)
      append(value)
      append(UInt8(Swift.min(parameters.count, 3)))
      for (name, number) in parameters.sorted(by: { $0.key < $1.key }).prefix(3) {
        append(text: name)
        append(number)
      }
    case .settings(let code):
      begin(Code.settings.rawValue)
      append(code)
    case .sender(let sender):
      begin(Code.sender.rawValue)
      append(sender)
    }
  }
}

private func addressText(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789ABCDEF")
  return bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 0xf)])" }.joined(separator: ":")
}
