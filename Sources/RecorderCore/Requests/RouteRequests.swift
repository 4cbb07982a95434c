// The methods of routes and segments.

import Logbook
import LogbookFiles
import LogbookWire
import Serving
import Wire

final class RouteRequests: RouteReceiver {
  private static let unavailable = Refusal(.internal, "routes and segments are not available")

  func answer(_ call: LogbookCall, _ asker: Asker) throws(Refusal) -> Answer { throw Self.unavailable }

  func route(_ request: RouteRequest, _ asker: Asker) throws(Refusal) -> Answer { throw Self.unavailable }

  func add(_ route: ImportedRoute) throws(Refusal) -> AddedRoute { throw Self.unavailable }
}
