// What a sensor's bonding wants to know from the user. The radio asks it, a client's prompt carries it, and the answer goes
// back once; nil refuses.

public final class PairingQuestion {
  public enum Ask: Equatable, Sendable {
    /// The passkey that the sensor shows or that is printed on it.
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

  /// Whether somebody still waits for the answer.
  public var isOpen: Bool { completion != nil }

  public func answer(_ answer: Answer?) {
    let completion = self.completion
    self.completion = nil
    completion?(answer)
  }

  /// Nobody wants to know any more.
  public func withdraw() {
    completion = nil
  }
}
