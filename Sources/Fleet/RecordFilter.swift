// What may leave the receiver. Heart data and places are personal: `Kinds=` limits what is
// published, and places need a word of their own.

import JSON

/// Which records are published, in batches and live.
public struct RecordFilter: Equatable, Sendable {
  private static let position = Array("position".utf8)
  /// By the first word of the name of an event: the kind that it belongs to, as in
  /// docs/protocol.md.
  private static let kindsOfEvents: [(prefix: StaticString, kind: [UInt8])] = [
    ("radar_", Array("radar".utf8)), ("tire_", Array("tire_pressure".utf8)), ("battery_", Array("battery".utf8)),
    ("wheel_", Array("wheel".utf8)), ("bike_", Array("bike".utf8)), ("gps_", position),
  ]
  private static let ride = Array("ride".utf8)

  private let kinds: [[UInt8]]?
  private let allowsPosition: Bool

  /// Without `kinds`, all kinds but `position` pass.
  public init(kinds: [String]? = nil, position: Bool = false) {
    self.kinds = kinds?.map { Array($0.utf8) }
    allowsPosition = position
  }

  func passes(kind: Span<UInt8>) -> Bool {
    guard allowsPosition || !kind.isEqual(to: Self.position) else { return false }
    guard let kinds else { return true }
    for each in kinds where kind.isEqual(to: each) { return true }
    return false
  }

  /// Packets of captures and what belongs to the connection never pass.
  func passes(_ record: RecordReader, _ line: Span<UInt8>) -> Bool {
    switch record.recordClass {
    case .sample: passes(kind: line.extracting(record.kind))
    case .event: passes(event: line.extracting(record.event), ofSensor: !record.sensor.isEmpty)
    case .state: true
    case .sensor, .other: false
    }
  }

  private func passes(event name: Span<UInt8>, ofSensor hasSensor: Bool) -> Bool {
    for (prefix, kind) in Self.kindsOfEvents where name.has(prefix, at: 0) { return passes(kind: kind.span) }
    // An event that a sensor's file declares has the kind of its own name.
    if hasSensor { return passes(kind: name) }
    let ride = Self.ride
    return passes(kind: ride.span)
  }
}
