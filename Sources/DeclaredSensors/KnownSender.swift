// What a program knows of a sender: its address as a number, and which routes are for its name. Found
// once, because a sensor mostly has one sender.

internal import SensorKit

struct KnownSender {
  private let sender: Sender?
  /// NaN if it has no address.
  let address: Double
  /// Of the first 64 routes of advertisements, those that are for its name.
  private let routes: UInt64

  init() {
    sender = nil
    address = .nan
    routes = 0
  }

  init(_ sender: Sender, _ program: SensorProgram) {
    self.sender = sender
    address = SenderAddress.number(sender.address)
    var routes: UInt64 = 0
    for index in program.advertRoutes.indices.prefix(64)
    where program.accepts(sender.name, program.advertRoutes[index]) {
      routes |= 1 << UInt64(index)
    }
    self.routes = routes
  }

  @inline(__always)
  func isOf(_ other: Sender) -> Bool { sender === other }

  @inline(__always)
  func accepts(_ route: Int, _ program: SensorProgram) -> Bool {
    if route < 64 { return routes >> UInt64(route) & 1 == 1 }
    return program.accepts(sender?.name ?? "", program.advertRoutes[route])
  }
}
