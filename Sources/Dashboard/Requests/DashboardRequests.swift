// Answers the requests of browsers. Each passes the gate first, whose grant decides what handles it.

import EventLoop
import HTTP
import HTTPServing
import JSON
import Linux
import WebAccess
import WebLogbook

final class DashboardRequests: HTTPHandler {
  private let gate: Gate
  private let streams: PageStreams
  private let files: PageFiles
  private let documents: DocumentRequests
  private let phones: PhoneRequests
  private let tasks: PageTasks
  private let display: Display
  private let logbook: LogbookGateway
  private let maps: MapRequests
  private let guide: GuideTasks

  init(
    _ gate: Gate, _ streams: PageStreams, _ files: PageFiles, _ documents: DocumentRequests, _ phones: PhoneRequests,
    _ tasks: PageTasks, _ display: Display, _ logbook: LogbookGateway, _ maps: MapRequests,
    _ guide: GuideTasks
  ) {
    (self.gate, self.streams, self.files, self.documents) = (gate, streams, files, documents)
    (self.phones, self.tasks, self.display, self.logbook) = (phones, tasks, display, logbook)
    (self.maps, self.guide) = (maps, guide)
  }

  func handle(_ exchange: HTTPExchange) {
    let arrival = exchange.origin.arrival
    do throws(AccessRefusal) {
      answer(exchange, try gate.judge(exchange.request, arrival, now: phones.now), arrival)
    } catch {
      exchange.reply(error.response.uncached)
    }
  }

  func answer(to refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(refusal).uncached.securing() }

  private func answer(_ exchange: HTTPExchange, _ grant: Grant, _ arrival: Arrival) {
    switch grant.route.endpoint {
    case .page: files.page(exchange)
    case .appFile: files.appFile(exchange, grant)
    case .pageFile: files.pageFile(exchange, grant)
    case .font: files.font(exchange, grant)
    case .leaflet: files.leaflet(exchange, grant)
    case .events: streams.open(exchange, grant)
    case .now: exchange.reply(.json { self.streams.writeSnapshot(into: &$0) })
    case .layout: documents.layout(exchange, grant)
    case .settings: documents.settings(exchange, grant)
    case .ride: tasks.ride(exchange)
    case .daemon: tasks.daemon(exchange, grant)
    case .display: display.handle(exchange, grant)
    case .pair: phones.pair(exchange, arrival)
    case .phones: answerPhones(exchange, grant, arrival)
    case .tile: maps.tile(exchange, grant)
    case .maps: maps.list(exchange)
    case .logbook, .logbookImport: logbook.handle(exchange, grant)
    case .guide: guide.handle(exchange)
    }
  }

  private func answerPhones(_ exchange: HTTPExchange, _ grant: Grant, _ arrival: Arrival) {
    switch grant.route.method {
    case .post: phones.invite(exchange, arrival)
    case .delete: phones.revoke(exchange, grant)
    case .get, .head, .put, .patch: phones.list(exchange, grant)
    }
  }
}

extension ConnectionOrigin {
  /// Whatever reaches a Unix socket came through a program in front, which ends TLS.
  fileprivate var arrival: Arrival {
    switch socket {
    case .unix: .front
    case .tcp(let local, _):
      local.isLoopback
        ? .loopback(address: local.host, port: local.port) : .lan(address: local.host, port: local.port)
    }
  }
}
