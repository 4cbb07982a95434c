// The connection parameters with which the kernel begins a link: its own defaults or those of
// bluetoothd's main.conf. A sensor may request others later, and the kernel shows the current ones
// only to privileged programs.

internal import CBluetooth
internal import Linux

public struct LinkDefaults: Equatable, Sendable {
  /// In units of 1.25 ms.
  public private(set) var shortestInterval: UInt16 = 0
  public private(set) var longestInterval: UInt16 = 0
  /// In connection events.
  public private(set) var latency: UInt16 = 0
  /// In units of 10 ms.
  public private(set) var supervisionTimeout: UInt16 = 0

  private static let commandComplete: UInt16 = 0x0001
  private static let readConfiguration: UInt16 = 0x004b
  /// Event, adapter, length, command, status.
  private static let headerLength = 9
  private static let longestAnswer = 1024

  /// The defaults of adapter hciN; nil if the kernel does not report them (before 5.9). Read when
  /// an adapter is switched on, not for each link.
  public static func read(of adapter: Int32) -> LinkDefaults? {
    guard let number = UInt16(exactly: adapter) else { return nil }
    let descriptor = cyclometer_management_open()
    guard descriptor >= 0 else { return nil }
    let socket = FileDescriptorBox(FileDescriptor(owning: descriptor))
    guard cyclometer_configuration_ask(socket.number, number) == 0 else { return nil }
    var answer = [UInt8](repeating: 0, count: longestAnswer)
    // Unrelated events can arrive before the reply.
    while case .done(let count)? = try? readDescriptor(socket.number, into: &answer), count > 0 {
      let bytes = answer.span
      if let defaults = LinkDefaults(bytes.extracting(..<count), of: number) { return defaults }
    }
    return nil
  }

  /// Parses a reply of the management interface; nil for other packets, errors and incomplete
  /// replies.
  init?(_ answer: Span<UInt8>, of adapter: UInt16) {
    func number(at index: Int) -> UInt16 { UInt16(answer[index]) | UInt16(answer[index + 1]) << 8 }
    guard answer.count >= Self.headerLength, number(at: 0) == Self.commandComplete, number(at: 2) == adapter,
      number(at: 6) == Self.readConfiguration, answer[8] == 0
    else { return nil }
    var found = 0
    var at = Self.headerLength
    while at + 3 <= answer.count {
      let (type, length, value) = (number(at: at), Int(answer[at + 2]), at + 3)
      guard value + length <= answer.count else { return nil }
      at = value + length
      guard length == 2, let field = Self.fields[type] else { continue }
      self[keyPath: field] = number(at: value)
      found += 1
    }
    guard found == Self.fields.count else { return nil }
  }

  /// By type, as in BlueZ's mgmt-api.txt.
  private static var fields: [UInt16: WritableKeyPath<LinkDefaults, UInt16>] {
    [0x0017: \.shortestInterval, 0x0018: \.longestInterval, 0x0019: \.latency, 0x001a: \.supervisionTimeout]
  }
}
