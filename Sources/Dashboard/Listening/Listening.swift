// What the server listens on: the sockets that the service manager passes, or else those that it
// makes itself, and an address from the command line.

import HTTPServing
import Linux
import ProgramKit
import Serving

final class Listening {
  static let web = SocketRole("web")
  static let front = SocketRole("front")

  private let log: Log
  private let pages: HTTPServer
  private let control: WebControl
  private(set) var addresses: [InternetAddress] = []
  private var hasFront = false
  /// Host names of this server.
  private var names: [String] = []

  init(_ pages: HTTPServer, _ control: WebControl, log: Log) {
    (self.pages, self.control, self.log) = (pages, control, log)
  }

  func use(names: [String]) { self.names = names }

  /// Whether other computers of the network can connect.
  var isInNetwork: Bool { addresses.contains { !$0.isLoopback } }

  func listen(_ places: DashboardPlaces) throws(StartError) {
    do throws(SystemError) {
      var isActivated = false
      try InheritedSockets.take { socket throws(SystemError) in
        isActivated = true
        try listen(on: socket)
      }
      if let address = places.address { addresses.append(try pages.listen(on: address, name: "\(address)")) }
      if !isActivated {
        try control.listen(at: places.webSocket)
        try pages.listen(at: places.frontSocket, mode: 0o660, name: Self.front.name)
        hasFront = true
      }
    } catch {
      close()
      throw StartError("cannot listen: \(error)\(error.isInUse ? ": another program listens there" : "")")
    }
    for address in addresses { log.info("listening on http://\(address)/") }
  }

  private func listen(on socket: consuming InheritedSocket) throws(SystemError) {
    switch socket.address {
    case .tcp(let address):
      addresses.append(address)
      try pages.listen(on: socket)
    case .unix:
      switch SocketRole.of(socket, among: [Self.web, Self.front]) {
      case Self.web: try control.listen(on: socket)
      case Self.front:
        hasFront = true
        try pages.listen(on: socket)
      default: log.warning("\(socket.address): passed by the service manager, but this server does not use it")
      }
    }
  }

  func close() {
    pages.close()
    control.close()
  }

  /// Where a phone opens the page. In the network if the server listens there, or else through the
  /// program in front, if the server has a name; on this computer otherwise.
  var pageAddress: PageAddress {
    if let lan = addresses.first(where: { !$0.isLoopback }), let host = host(of: lan) {
      return PageAddress(origin: "http://\(host)", isLocal: false)
    }
    if hasFront, !isInNetwork, let name = names.first { return PageAddress(origin: "https://\(name)", isLocal: false) }
    let own = addresses.first(where: \.isLoopback) ?? addresses.first
    return PageAddress(origin: "http://\(own.map { "\($0)" } ?? "localhost")", isLocal: true)
  }

  /// With the port; nil if this computer is in no network.
  private func host(of listener: InternetAddress) -> String? {
    if let name = names.first { return "\(name):\(listener.port)" }
    guard listener.isUnspecified else { return "\(listener)" }
    let all = (try? InternetAddress.ofInterfaces(port: listener.port)) ?? []
    return (all.first { $0.isIPv4 } ?? (listener.isIPv4 ? nil : all.first)).map { "\($0)" }
  }
}
