// All streams of events of pages that show other bikes: `/events?wall=GROUP`, or `*` for all groups that the
// bridge reads.

import CyclometerClient
import EventLoop
import FleetWire
import HTTP
import HTTPServing
import Linux
import ProgramKit
import WebAccess
import WebFrames

final class WallStreams {
  static let allGroups = "*"
  /// Each has its own connection to the bridge, which has 32 for everyone.
  static let mostStreams = 8

  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let bridge: String
  private let instance = ProcessEnvironment.randomName()
  private var streams: [WallStream] = []
  private var lastNumber = 0
  /// Why the bridge is not there, as it was logged.
  private var absence: String?

  init(_ bridge: String, in loop: EventLoop, release: String, log: Log) {
    (self.bridge, self.loop, self.release, self.log) = (bridge, loop, release, log)
  }

  func open(_ exchange: HTTPExchange, _ group: String, phone: Phone, right: Right, _ permit: StreamPermit?) {
    guard streams.count < Self.mostStreams else {
      return exchange.refuse(.unavailable, "\(streams.count) walls are open: close one of them")
    }
    let subscription: FrameSubscription
    do throws(HTTPRefusal) {
      subscription = try FrameSubscription(exchange.request.target)
    } catch {
      return exchange.refuse(error)
    }
    let request = WallRequest(
      groups: group == Self.allGroups ? nil : [group], kinds: subscription.kinds,
      hz: min(max(subscription.hz, WallRequest.rates.lowerBound), WallRequest.rates.upperBound))
    let stream = WallStream(request, of: bridge, phone: phone.id, permit: permit, in: loop)
    stream.presenceChanged = { [weak self] in self?.note($0) }
    lastNumber += 1
    let greeting = StreamGreeting(instance: instance, release: release, rights: right.included.map(\.rawValue))
    let isOpen = stream.open(
      exchange, greeting, name: "w\(lastNumber)", hz: subscription.hz,
      ended: { [weak self, weak stream] in self?.streams.removeAll { $0 === stream } })
    if isOpen { streams.append(stream) }
  }

  /// Closes the streams of phones that are not paired any more.
  func closeStreams(exceptOf phones: [Phone]) {
    for stream in streams where !phones.contains(where: { $0.id == stream.phone }) { stream.close() }
  }

  func stop() { for stream in streams { stream.stop() } }

  /// A bridge that is not installed would be reported with each attempt.
  private func note(_ reason: String?) {
    guard reason != absence else { return }
    absence = reason
    log.info(reason.map { "bridge: not connected, retrying (\($0))" } ?? "bridge: connected")
  }
}
