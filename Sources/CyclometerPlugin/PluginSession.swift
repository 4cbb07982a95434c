// What a program does for one sensor. Everything but the initializer and `decode` may be left out.

public protocol PluginSession {
  init(_ sensor: PluginSensor)

  /// Publishes the records of a packet, or throws if its bytes are wrong.
  mutating func decode(_ packet: PluginPacket, into response: inout PluginResponse) throws(PacketRefusal)

  /// The sensor was connected or disconnected. Drop incomplete data; counters stay.
  mutating func linkChanged(isUp: Bool)

  /// The settings or the quirks of the sensor changed.
  mutating func configure(_ sensor: PluginSensor)

  /// Does a command; its records are answers.
  mutating func run(_ command: PluginCommand, into response: inout PluginResponse) throws(CommandFailure)

  /// The time of `tick(afterMilliseconds:)` has come. Its records are answers.
  mutating func tick(at time: Double, into response: inout PluginResponse)

  /// The sensor was removed, or the file changed.
  mutating func close()
}

extension PluginSession {
  public mutating func linkChanged(isUp: Bool) {}
  public mutating func configure(_ sensor: PluginSensor) {}
  public mutating func run(_ command: PluginCommand, into response: inout PluginResponse) throws(CommandFailure) {
    throw CommandFailure("the program does not support \(command.name)")
  }
  public mutating func tick(at time: Double, into response: inout PluginResponse) {}
  public mutating func close() {}
}
