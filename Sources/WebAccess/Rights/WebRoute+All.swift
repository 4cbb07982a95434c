// All routes of the server. The gate, the tests and the documentation read this list.

import HTTP

extension WebRoute {
  public static let all: [WebRoute] = page + live + stored + services + logbook + phones

  /// The page is one document; its paths are states of it.
  private static let page: [WebRoute] = [
    WebRoute(.get, [], .open, .page),
    WebRoute(
      .get, [.choice("page", of: ["coach", "pair", "rides", "routes", "settings", "wall", "week"])], .open, .page),
    WebRoute(.get, [.choice("page", of: ["rides", "routes"]), .value("id")], .open, .page),
    WebRoute(.get, ["wall", .value("group")], .open, .page),
    WebRoute(.get, ["settings", .rest("section")], .open, .page),
    WebRoute(.get, [.choice("file", of: ["manifest.webmanifest", "service-worker.js"])], .open, .appFile),
    WebRoute(.get, ["f", .value("hash"), .rest("file")], .open, .pageFile),
    WebRoute(.get, ["fonts", .value("name")], .open, .font),
    WebRoute(.get, ["leaflet", .value("name")], .open, .leaflet),
    WebRoute(.get, ["tiles", .value("name"), .value("z"), .value("x"), .value("y")], .needs(.view), .tile),
  ]

  private static let live: [WebRoute] = [
    WebRoute(.get, ["events"], .needs(.view), .events),
    WebRoute(.get, ["api", "1", "now"], .needs(.view), .now),
  ]

  private static let stored: [WebRoute] = [
    WebRoute(.get, ["api", "1", "layouts", .value("name")], .needs(.view), .layout),
    WebRoute(.put, ["api", "1", "layouts", .value("name")], .needs(.ride), .layout),
    WebRoute(.get, ["api", "1", "settings", .value("name")], .needs(.view), .settings),
    WebRoute(.put, ["api", "1", "settings", .value("name")], .needs(.ride), .settings),
  ]

  private static let services: [WebRoute] = [
    WebRoute(.post, ["api", "1", "ride"], .needs(.ride), .ride),
    WebRoute(.post, ["api", "1", "daemon"], .needs(.manage), .daemon),
    WebRoute(.get, ["api", "1", "maps"], .needs(.view), .maps),
    WebRoute(.get, ["api", "1", "guide"], .needs(.view), .guide),
    WebRoute(.post, ["api", "1", "guide"], .needs(.ride), .guide),
    WebRoute(.post, ["api", "1", "display"], .needs(.ride), .display),
  ]

  private static let logbook: [WebRoute] =
    [
      WebRoute(.get, ["api", "1", .choice("sums", of: ["stats", "fitness", "records"])], .needs(.view), .logbook),
      WebRoute(.get, ["api", "1", "activities", .value("id"), partOfActivity], .needs(.view), .logbook),
      WebRoute(.post, ["api", "1", "import"], .needs(.manage), .logbookImport, content: .file),
    ] + ["activities", "routes", "segments"].flatMap(entries)

  private static let partOfActivity = Segment.choice("part", of: ["laps", "series", "track", "proposals", "export"])

  /// What the activities, routes and segments of the logbook have in common.
  private static func entries(_ list: String) -> [WebRoute] {
    let all: [Segment] = ["api", "1", .choice("list", of: [list])]
    let one = all + [.value("id")]
    return [
      WebRoute(.get, all, .needs(.view), .logbook),
      WebRoute(.get, one, .needs(.view), .logbook),
      WebRoute(.post, all, .needs(.ride), .logbook),
      WebRoute(.patch, one, .needs(.ride), .logbook),
      WebRoute(.delete, one, .needs(.manage), .logbook),
      WebRoute(
        .post, one + [.choice("change", of: ["crop", "split", "join", "revert", "restore"])], .needs(.manage), .logbook),
    ]
  }

  private static let phones: [WebRoute] = [
    // The code in its body is the proof.
    WebRoute(.post, ["api", "1", "pair"], .open, .pair),
    WebRoute(.get, ["api", "1", "phones"], .needs(.manage), .phones),
    WebRoute(.post, ["api", "1", "phones"], .needs(.manage), .phones),
    WebRoute(.delete, ["api", "1", "phones", .value("id")], .needs(.manage), .phones),
  ]
}

/// The route of a request, or why there is none.
enum RouteSearch {
  case found(WebRoute, PathValues)
  /// The path has routes for these methods only.
  case otherMethods([HTTPMethod])
  case unknownPath

  init(_ method: HTTPMethod, _ path: [String]) {
    let wanted = method == .head ? .get : method
    var others: [HTTPMethod] = []
    for route in WebRoute.all {
      guard let values = route.match(path) else { continue }
      if route.method == wanted {
        self = .found(route, values)
        return
      }
      others.append(route.method)
    }
    self = others.isEmpty ? .unknownPath : .otherMethods(others)
  }
}
