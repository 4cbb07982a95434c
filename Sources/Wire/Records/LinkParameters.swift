// The connection parameters with which an adapter's links begin.

public struct LinkParameters: WireObject {
  /// The connection interval: the shortest and the longest.
  private var intervalMS: [Double] = []
  /// How many connection events a sensor may skip.
  public private(set) var latency: Int?
  /// A link is lost after this time without a packet.
  public private(set) var supervisionTimeoutMS: Int?

  public var shortestIntervalMS: Double? { intervalMS.count == 2 ? intervalMS[0] : nil }
  public var longestIntervalMS: Double? { intervalMS.count == 2 ? intervalMS[1] : nil }

  public init() {}

  public init(shortestIntervalMS: Double, longestIntervalMS: Double, latency: Int, supervisionTimeoutMS: Int) {
    intervalMS = [shortestIntervalMS, longestIntervalMS]
    self.latency = latency
    self.supervisionTimeoutMS = supervisionTimeoutMS
  }

  public mutating func visit(_ members: inout Members) {
    members.member("interval_ms", &intervalMS, unless: [])
    members.member("latency", &latency)
    members.member("supervision_timeout_ms", &supervisionTimeoutMS)
  }
}
