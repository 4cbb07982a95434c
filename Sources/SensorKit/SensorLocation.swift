// Sensor Location, 0x2A5D: where a sensor is mounted. Speed, power and running sensors share the
// list.

public import Vocabulary

public enum SensorLocation {
  @inlinable public static var characteristic: BluetoothUUID { BluetoothUUID(0x2a5d) }

  private static let words: InlineArray<17, Word> = [
    "other", "top_of_shoe", "in_shoe", "hip", "front_wheel", "left_crank", "right_crank", "left_pedal", "right_pedal",
    "front_hub", "rear_dropout", "chainstay", "rear_wheel", "rear_hub", "chest", "spider", "chain_ring",
  ]

  public static var count: Int { words.count }

  public static let setting = CommandInfo(
    "set_location", "Tell it where it sits", value: 0...Double(count - 1),
    meaning: numberedWords
  ).requiring(requirement)
  public static let listing = CommandInfo("list_locations", "Ask where it can be told that it sits")
    .requiring(requirement)
  /// `0 other, 1 top_of_shoe` and so on. Every program with the plugins makes it when it starts, and
  /// `joined` would have it look for conformances.
  private static var numberedWords: String {
    var text = ""
    for index in words.indices {
      if index > 0 { text += ", " }
      text += "\(index) \(words[index])"
    }
    return text
  }
  private static let requirement = Field("multiple_sensor_locations")

  /// The word for a location; `offset` is the position of its byte.
  public static func word(_ location: UInt8, at offset: Int) throws(DecodeError) -> Word {
    guard Int(location) < words.count else { throw DecodeError(.reservedValue, at: offset) }
    return words[Int(location)]
  }

  public static func decode(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let location = try cursor.uint8(value)
    try cursor.finish(value)
    batch.fact(.sensorLocation, try word(location, at: 0))
  }

  /// The rest of a control point's response: one byte per supported location.
  public static func decodeList(
    _ cursor: inout ByteCursor, _ value: Span<UInt8>, into batch: inout Batch
  ) throws(DecodeError) {
    batch.beginWords(.supportedLocations)
    while cursor.remaining(value) > 0 {
      let offset = cursor.offset
      batch.append(try word(try cursor.uint8(value), at: offset))
    }
  }
}
