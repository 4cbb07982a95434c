// Bytes from a sensor.

public struct PluginPacket: Equatable, Sendable {
  /// The name of its `[Packet]` in the file.
  public let name: String
  public let value: [UInt8]
  /// Seconds on the monotonic clock, when the packet arrived.
  public let time: Double
}
