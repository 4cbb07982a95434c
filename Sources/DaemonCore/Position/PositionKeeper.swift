// Requests fixes from gpsd at the rate that the ride needs, and passes them to it. A simulation has
// no gpsd: it plays the reports of the capture.

import CaptureFormat
import EventLoop
import JSON
import Linux
import Metrics
import Position
import PositionReports
import ProgramKit
import Ride
import Sensing
import Wire

final class PositionKeeper {
  private let loop: EventLoop
  private let ride: RideKeeper
  private let captures: Captures
  private let log: Log
  private(set) var client: GPSDClient?
  private var played = FixReader()

  /// Longer reports are left out of captures, because their records might exceed the line limit.
  private static let longestReport = 16_384

  init(loop: EventLoop, ride: RideKeeper, captures: Captures, log: Log) {
    self.loop = loop
    self.ride = ride
    self.captures = captures
    self.log = log
    ride.ticked = { [weak self] in self?.chooseRate() }
  }

  /// Connects to this gpsd only; nil disconnects.
  func follow(_ address: GPSDClient.Address?) {
    if address == client?.address {
      client?.lookAgain()
      return
    }
    client?.want(.none)
    client = nil
    guard let address else { return }
    let next = GPSDClient(loop: loop, address: address)
    next.report = { [weak self] in self?.capture($0) }
    next.fix = { [weak self] in self?.handle($0) }
    next.stateChanged = { [weak self] in self?.logState($0) }
    client = next
    chooseRate()
  }

  func stop() { follow(nil) }

  /// Handles a report from a recording as if gpsd had just sent it.
  func play(_ report: String) {
    let time = loop.now
    captures.record(report: report, at: time)
    do throws(CaptureError) {
      if let fix = try played.take(report, at: time) { ride.handle(fix) }
    } catch {
      log.debug("gps: \(error.message)")
    }
  }

  private func handle(_ fix: Fix) {
    ride.handle(fix)
    chooseRate()
  }

  private func chooseRate() {
    client?.want(ride.wantsManyFixes ? .full : .slow)
  }

  private func capture(_ report: Span<UInt8>) {
    guard !captures.isEmpty, report.count <= Self.longestReport else { return }
    let text = String(decoding: report.indices.map { report[$0] }, as: UTF8.self)
    captures.record(report: text, at: loop.now)
  }

  /// A missing gpsd is logged only if there was one. A connected one is named, because any program
  /// on this computer may listen on its port, and the ride, the grade and the wheel sizes rely on
  /// what it reports.
  private func logState(_ state: GPSDClient.State) {
    guard let client else { return }
    switch state {
    case .idle: break
    case .absent:
      let reason = client.problem.map { ": \($0)" } ?? ""
      log.log(client.wasThere ? .info : .debug, "gpsd at \(client.address) is not available\(reason)", [])
    case .watching(let receivers):
      let release = client.release.map { " (release \($0))" } ?? ""
      log.info("gpsd at \(client.address)\(release) has \(receivers) receiver\(receivers == 1 ? "" : "s")")
    }
  }
}

extension GPSDClient {
  var status: StatusReply.Position {
    var status = StatusReply.Position()
    status.gpsd = address.description
    switch state {
    case .idle, .absent:
      status.state = WireWord(.absent)
      status.message = problem?.description
    case .watching(let receivers):
      status.state = WireWord(.there)
      status.receivers = receivers
    }
    return status
  }
}
