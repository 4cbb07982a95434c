// A route that an import found.

package import ActivityFiles
package import LogbookWire
package import Wire

package struct ImportedRoute: Sendable {
  /// A longer way than anybody follows.
  static let mostPoints = 200_000
  static let mostCues = 10_000

  package var name: String?
  package var points: [RoutePoint] = []
  package var cues: [RouteCue] = []
  package var source: ActivitySource
  /// Of the file. A file with several routes has one for each.
  package var hash: [UInt8]

  init(_ header: ActivityHeader, _ source: ActivitySource, hash: [UInt8]) {
    (name, self.source, self.hash) = (header.name, source, hash)
  }
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
