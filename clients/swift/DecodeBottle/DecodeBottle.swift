// Decodes the drinking bottle of bottle.sensor. A packet has flags, the level in millilitres, tenths of
// a degree, a counter of the tens of millilitres that were drunk, and an exclusive or of it all.
//
//     swift run decode-bottle [PLUGIN_SOCKET]

import CyclometerPlugin
import JSON

struct Bottle: PluginSession {
  private static let lidOpen: UInt8 = 1
  private static let hasTemperature: UInt8 = 2
  private static let unknownLevel = 0xffff
  /// The bottle sleeps if nothing is written for half a minute.
  private static let stayAwake = 20_000

  private let name: String
  private var isConnected = false
  private var isAwake = false
  /// The counter of the last packet.
  private var tens: UInt16?
  private var drunk = 0
  private var wasOpen = false

  init(_ sensor: PluginSensor) { name = sensor.name }

  mutating func linkChanged(isUp: Bool) {
    isConnected = isUp
    isAwake = false
  }

  mutating func decode(_ packet: PluginPacket, into response: inout PluginResponse) throws(PacketRefusal) {
    let value = packet.value
    guard value.count == 8 else { throw PacketRefusal(.badLength, at: min(value.count, 8)) }
    guard value.reduce(0, ^) == 0 else { throw PacketRefusal(.notThisProtocol, at: 7) }
    func uint16(_ index: Int) -> UInt16 { UInt16(value[index]) | UInt16(value[index + 1]) << 8 }
    let level = Int(uint16(1))
    let temperature = Int16(bitPattern: uint16(3))
    if let tens { drunk += Int(uint16(5) &- tens) * 10 }
    tens = uint16(5)
    if !isAwake { response.tick(afterMilliseconds: Self.stayAwake) }
    isAwake = true
    let isOpen = value[0] & Self.lidOpen != 0
    response.sample(
      "drink",
      [
        "level_ml": level == Self.unknownLevel ? nil : .number(Double(level)),
        "temperature_c": value[0] & Self.hasTemperature == 0 ? nil : .number(Double(temperature) / 10),
        "lid_open": .bool(isOpen), "drunk_ml": .number(Double(drunk)),
      ])
    if isOpen != wasOpen { response.event("lid", ["is_open": .bool(isOpen)]) }
    wasOpen = isOpen
  }

  mutating func tick(at time: Double, into response: inout PluginResponse) {
    response.write([0], to: "fff0", "fff2")
    response.tick(afterMilliseconds: Self.stayAwake)
  }

  mutating func run(_ command: PluginCommand, into response: inout PluginResponse) throws(CommandFailure) {
    guard isConnected else { throw CommandFailure("the bottle is not connected") }
    let isOn = command.value ?? 0 != 0
    response.write([1, isOn ? 1 : 0], to: "fff0", "fff2")
    response.log("\(name): light \(isOn ? 1 : 0)")
    response.answer(["light": .string(isOn ? "on" : "off")])
  }
}

@main
enum DecodeBottle {
  static func main() {
    let arguments = CommandLine.arguments
    PluginProgram(id: "bottle_process", socket: arguments.count > 1 ? arguments[1] : nil, Bottle.self).run()
  }
}
