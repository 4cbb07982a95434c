// A route that an import found.

package import ActivityFiles
package import LogbookWire
package import Wire

package struct ImportedRoute: Sendable {
  package var name: String?
  package var points: [RoutePoint]
  package var cues: [RouteCue]
  package var source: ActivitySource
  /// Of the file.
  package var hash: [UInt8]
}

package enum AddedRoute: Equatable, Sendable {
  case added(Int)
  /// The same route is there with this id.
  case duplicate(Int)
}

/// Where routes are kept.
package protocol RouteReceiver: AnyObject {
  func add(_ route: ImportedRoute) throws(Refusal) -> AddedRoute
}
