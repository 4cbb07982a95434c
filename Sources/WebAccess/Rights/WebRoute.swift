// A route: what may be requested with which right. A route cannot be written without saying who may
// use it.

public import HTTP

public struct WebRoute: Sendable {
  public enum Access: Equatable, Sendable {
    /// For everyone who can connect, without a token.
    case open
    case needs(Right)
  }

  /// A segment of the path. Segments are looked up by the handler and never used as a path of a
  /// file.
  public enum Segment: Equatable, Sendable {
    case word(String)
    /// Any text that is not empty.
    case value(String)
    /// One of these words.
    case choice(String, of: [String])
    /// One segment or more, up to the end.
    case rest(String)
  }

  /// What the body of a request has to be.
  public enum Content: Equatable, Sendable {
    case json
    /// The bytes of a file. No form of another site can send this type either.
    case file

    public var type: String {
      switch self {
      case .json: "application/json"
      case .file: "application/octet-stream"
      }
    }
  }

  /// A route for `get` serves HEAD too.
  public let method: HTTPMethod
  public let path: [Segment]
  public let access: Access
  public let endpoint: WebEndpoint
  public let content: Content

  init(
    _ method: HTTPMethod, _ path: [Segment], _ access: Access, _ endpoint: WebEndpoint, content: Content = .json
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.endpoint = endpoint
    self.content = content
  }

  /// As documentation shows it: `/api/1/activities/{id}`.
  public var pattern: String {
    "/"
      + path.map { segment in
        switch segment {
        case .word(let word): word
        case .value(let name): "{\(name)}"
        case .choice(_, let words): "{\(words.joined(separator: "|"))}"
        case .rest(let name): "{\(name)…}"
        }
      }.joined(separator: "/")
  }

  /// The values of the path; nil if it is not a path of this route.
  func match(_ request: [String]) -> PathValues? {
    var values = PathValues()
    for (index, segment) in path.enumerated() {
      guard index < request.count else { return nil }
      switch segment {
      case .word(let word):
        guard request[index] == word else { return nil }
      case .value(let name):
        guard !request[index].isEmpty else { return nil }
        values.append(name, request[index])
      case .choice(let name, let words):
        guard words.contains(request[index]) else { return nil }
        values.append(name, request[index])
      case .rest(let name):
        values.append(name, request[index...].joined(separator: "/"))
        return values
      }
    }
    return request.count == path.count ? values : nil
  }
}

extension WebRoute.Segment: ExpressibleByStringLiteral {
  public init(stringLiteral word: String) { self = .word(word) }
}

/// The values that a request has for the segments of its route.
public struct PathValues: Equatable, Sendable {
  private var all: [(name: String, value: String)] = []

  mutating func append(_ name: String, _ value: String) { all.append((name, value)) }

  public subscript(_ name: String) -> String? { all.first { $0.name == name }?.value }

  public static func == (left: PathValues, right: PathValues) -> Bool {
    left.all.elementsEqual(right.all, by: ==)
  }
}

/// What answers the requests of a route.
public enum WebEndpoint: CaseIterable, Sendable {
  // The page.
  case page, appFile, pageFile, font, leaflet, tile, maps
  // Values.
  case events, now
  // What pages store.
  case layout, settings
  // The other services.
  case ride, daemon, logbook, logbookImport, guide, display
  // Paired screens.
  case pair, phones
}
