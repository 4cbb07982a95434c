// The connection parameters with which an adapter's links begin.

import JSON

public struct LinkParameters: Equatable, Sendable {
  /// The connection interval.
  public var shortestIntervalMS: Double
  public var longestIntervalMS: Double
  /// How many connection events a sensor may skip.
  public var latency: Int
  /// A link is lost after this time without a packet.
  public var supervisionTimeoutMS: Int

  public init(shortestIntervalMS: Double, longestIntervalMS: Double, latency: Int, supervisionTimeoutMS: Int) {
    self.shortestIntervalMS = shortestIntervalMS
    self.longestIntervalMS = longestIntervalMS
    self.latency = latency
    self.supervisionTimeoutMS = supervisionTimeoutMS
  }

  init?(_ json: JSONValue) {
    guard let interval = json["interval_ms"]?.items, interval.count == 2, let shortest = interval[0].number,
      let longest = interval[1].number, let latency = json["latency"]?.integer,
      let timeout = json["supervision_timeout_ms"]?.integer
    else { return nil }
    self.init(
      shortestIntervalMS: shortest, longestIntervalMS: longest, latency: latency, supervisionTimeoutMS: timeout)
  }

  var json: JSONValue {
    .object([
      JSONValue.Member("interval_ms", .array([.number(shortestIntervalMS), .number(longestIntervalMS)])),
      JSONValue.Member("latency", .number(Double(latency))),
      JSONValue.Member("supervision_timeout_ms", .number(Double(supervisionTimeoutMS))),
    ])
  }
}
