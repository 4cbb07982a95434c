// A question to the user during bonding. The radio asks it, a client's prompt carries it, and it is
// answered once; nil refuses.

public final class PairingQuestion {
  public enum Ask: Equatable, Sendable {
    /// The passkey that is shown by the sensor or printed on it.
    case passkey
    /// Whether the sensor shows this passkey.
    case confirmation(passkey: Int)
  }

  public enum Answer: Equatable, Sendable {
    case passkey(Int)
    case confirmed
  }

  public let address: DeviceAddress
  public let ask: Ask
  private var completion: ((Answer?) -> Void)?

  public init(_ ask: Ask, of address: DeviceAddress, completion: @escaping (Answer?) -> Void) {
    self.address = address
    self.ask = ask
    self.completion = completion
  }

  /// Whether the answer is still awaited.
  public var isOpen: Bool { completion != nil }

  public func answer(_ answer: Answer?) {
    let completion = self.completion
    self.completion = nil
    completion?(answer)
  }

  /// The answer is no longer needed.
  public func withdraw() {
    completion = nil
  }
}
