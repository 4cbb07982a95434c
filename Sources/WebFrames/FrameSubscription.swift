// What a reader wants: `/events?hz=4&kinds=speed,heart_rate`.

public import HTTP

public struct FrameSubscription: Equatable, Sendable {
  /// Frames per second.
  public static let rates = 0.1...10.0
  static let usualRate = 4.0

  /// Nil for all. Records other than samples are sent to every reader.
  public let kinds: [String]?
  public let hz: Double

  public init(_ target: RequestTarget) throws(HTTPRefusal) {
    kinds = target.parameter("kinds").map { $0.split(separator: ",").map(String.init) }
    guard let text = target.parameter("hz") else {
      hz = Self.usualRate
      return
    }
    guard let hz = Double(text), Self.rates.contains(hz) else {
      throw HTTPRefusal(.badRequest, "hz is a number from \(Self.rates.lowerBound) to \(Self.rates.upperBound)")
    }
    self.hz = hz
  }

  var interval: Duration { .nanoseconds(Int64(1e9 / hz)) }
}
