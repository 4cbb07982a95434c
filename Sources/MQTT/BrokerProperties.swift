// What a broker of MQTT 5 says with its answer to a connection, and with a message.

internal import CMosquitto

struct BrokerProperties {
  var receiveMaximum: Int?
  var maximumPacketSize: Int?
  var keepAlive: Duration?

  /// Nil has none, as with MQTT 3.1.1.
  init(_ properties: OpaquePointer?) {
    guard let properties = unsafe properties else { return }
    var (short, long) = (UInt16(0), UInt32(0))
    // Each returns nil, and leaves the variable, if the property is missing.
    if unsafe mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &short, false) != nil
    {
      receiveMaximum = Int(short)
    }
    if unsafe mosquitto_property_read_int16(properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &short, false)
      != nil
    {
      keepAlive = .seconds(Int(short))
    }
    if unsafe mosquitto_property_read_int32(properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &long, false)
      != nil
    {
      maximumPacketSize = Int(long)
    }
  }
}

/// The value of the user property `user` of a message; nil if it has none.
func userName(in properties: OpaquePointer?) -> String? {
  // Others may be in front of it, but not any number of them.
  let mostProperties = 16
  var place = unsafe properties
  for index in 0..<mostProperties {
    var name: UnsafeMutablePointer<CChar>?
    var value: UnsafeMutablePointer<CChar>?
    // The library copies both texts, and returns where it found them.
    unsafe place = mosquitto_property_read_string_pair(
      place, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, index > 0)
    guard unsafe place != nil, let name = unsafe name, let value = unsafe value else { return nil }
    defer {
      unsafe free(name)
      unsafe free(value)
    }
    if unsafe strcmp(name, "user") == 0 { return unsafe String(validatingCString: value) }
  }
  return nil
}
