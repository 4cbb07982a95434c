// What the elements of a GPX file mean. A track whose points have times is an activity; it is
// emitted as it is read. A track without times is a route, and so is an `rte`. If there are both, the
// track is the line and the `rte` has the cues. Routes are emitted at the end, because waypoints
// that come from elsewhere are their cues.

import Expat

struct GPXContent: XMLContent {
  private static let longestBreak: Int64 = 3600
  private static let mostRoutePoints = 200_000
  private static let mostCues = 1000
  private static let mostRoutes = 100

  /// A track without times, or an `rte`.
  private struct Line {
    var name: String?
    var note: String?
    var draft = RouteDraft()
  }

  /// nil: whatever the file has.
  private let wanted: ActivityHeader.Content?
  private var path = ElementPath()
  private var point: GPXPoint?
  private var pointDepth = 0
  private var header = ActivityHeader()
  private var fileName: String?
  private var fileNote: String?
  private var isInTrack = false
  private var track = Line()
  private var trackSport: SportCode?
  private var hasTimes = false
  private var beginsTrack = false
  private var lines: [Line] = []
  private var routes: [Line] = []
  private var routePointCount = 0
  private var cueCount = 0
  private var waypoints: [RouteCue] = []
  private var assembler: ActivityAssembler?
  /// At the end: the routes that are left to emit, the cues for them, and the first one's points.
  private var ended: ArraySlice<Line> = []
  private var otherCues: [RouteCue] = []
  private var isOnly = false
  private var emission: RouteEmission?
  private(set) var hasActivity = false
  private(set) var problems = ReadProblems()
  private(set) var omissions = XMLOmissions()
  private(set) var refusal: String?

  init(as wanted: ActivityHeader.Content?) {
    self.wanted = wanted
  }

  mutating func add(_ event: XMLEvent, _ emit: (ActivityItem) -> Void) {
    guard refusal == nil else { return }
    switch event {
    case .start(let name, let attributes):
      path.push(name.local)
      start(name, attributes)
    case .end(let name, let text):
      end(name, text, emit)
      path.pop()
    }
  }
}

// MARK: Elements

extension GPXContent {
  private mutating func start(_ name: XMLName, _ attributes: [XMLAttribute]) {
    if path.depth == 1 {
      guard name.local == "gpx" else {
        refusal = "this is not a GPX file: its first element is \(name.local.prefix(scalars: 50))"
        return
      }
      readCreator(attributes)
    } else if point != nil {
      if name.local == "rpt", point?.following.count ?? 0 < Self.mostRoutePoints { point?.addFollowing(attributes) }
    } else if let kind = GPXPoint.Kind(element: name.local) {
      point = GPXPoint(kind, attributes)
      pointDepth = path.depth
    } else if name.local == "trk" {
      beginTrack()
    } else if name.local == "trkseg" {
      assembler?.beginStretch()
    } else if name.local == "rte" {
      if routes.count < Self.mostRoutes { routes.append(Line()) } else { problems.add(.tooManyRoutes) }
    }
  }

  private mutating func readCreator(_ attributes: [XMLAttribute]) {
    guard var creator = attributes.first(where: { $0.name.local == "creator" })?.value.trimmed(to: 200) else { return }
    if creator.hasSuffix(GPXNames.barometerEnding) {
      header.hasBarometer = true
      creator.removeLast(GPXNames.barometerEnding.count)
    }
    header.recorder.name = creator.trimmed(to: 200)
  }

  private mutating func end(_ name: XMLName, _ text: String, _ emit: (ActivityItem) -> Void) {
    if point != nil {
      guard path.depth > pointDepth else { return endPoint(emit) }
      return endField(name, text)
    }
    switch (path.parent, name.local) {
    case ("metadata", "name"), ("gpx", "name"): fileName = text.trimmed(to: 200)
    case ("metadata", "desc"), ("gpx", "desc"): fileNote = text.trimmed(to: 10_000)
    case ("trk", "name"): track.name = text.trimmed(to: 200)
    case ("trk", "desc"), ("trk", "cmt"): track.note = track.note ?? text.trimmed(to: 10_000)
    case ("trk", "type"): trackSport = Self.sport(text)
    case ("rte", "name"): if let last = routes.indices.last { routes[last].name = text.trimmed(to: 200) }
    case ("rte", "desc"): if let last = routes.indices.last { routes[last].note = text.trimmed(to: 10_000) }
    case (_, "trk"): endTrack()
    default: break
    }
  }

  private mutating func endField(_ name: XMLName, _ text: String) {
    guard path.depth > pointDepth + 1 else { point?.setChild(name.local, text); return }
    let isKnown = name.namespace.map { known in GPXNames.knownStarts.contains { known.hasPrefix($0) } } ?? true
    if !isKnown || point?.setExtension(name.local, text) == false { omissions.add(name) }
  }

  /// A word, or a number as one large site has it.
  private static func sport(_ text: String) -> SportCode? {
    switch text {
    case "1": .cycling
    case "9": .running
    default: SportCode(words: text)
    }
  }
}

// MARK: Tracks

extension GPXContent {
  private mutating func beginTrack() {
    track = Line()
    trackSport = nil
    isInTrack = true
    hasTimes = false
    beginsTrack = true
  }

  private mutating func endTrack() {
    if !track.draft.points.isEmpty {
      if lines.count < Self.mostRoutes { lines.append(track) } else { problems.add(.tooManyRoutes) }
    }
    track = Line()
    isInTrack = false
  }

  private mutating func endPoint(_ emit: (ActivityItem) -> Void) {
    guard let point else { return }
    self.point = nil
    if point.position == nil { problems.add(.impossiblePosition) }
    switch point.kind {
    case .track: addTrackPoint(point, emit)
    case .route:
      guard let last = routes.indices.last, let place = point.routePoint, hasRoom() else { return }
      routes[last].draft.add(place)
      if var cue = point.cue, hasRoomForCue() {
        cue.distance = routes[last].draft.length
        routes[last].draft.add(cue)
      }
      for place in point.following where hasRoom() { routes[last].draft.add(RoutePoint(position: place)) }
    case .waypoint:
      if let cue = point.cue, hasRoomForCue() { waypoints.append(cue) }
    }
  }

  /// Whether one more point of a route can be held.
  private mutating func hasRoom() -> Bool {
    guard routePointCount < Self.mostRoutePoints else {
      problems.add(.tooManyRoutePoints)
      return false
    }
    routePointCount += 1
    return true
  }

  private mutating func hasRoomForCue() -> Bool {
    guard cueCount < Self.mostCues else {
      problems.add(.tooManyCues)
      return false
    }
    cueCount += 1
    return true
  }

  private mutating func addTrackPoint(_ point: GPXPoint, _ emit: (ActivityItem) -> Void) {
    if point.hasImpossibleTime { problems.add(.impossibleTime) }
    guard wanted != .route, let time = point.time else {
      if wanted == .activity || hasTimes { return problems.add(.noTime, count: point.hasImpossibleTime ? 0 : 1) }
      if let place = point.routePoint, hasRoom() { track.draft.add(place) }
      return
    }
    if !time.hasZone { problems.add(.noZone) }
    if !hasTimes {
      // Points before the first one with a time.
      problems.add(.noTime, count: track.draft.points.count)
      routePointCount -= track.draft.points.count
      track.draft = RouteDraft()
      hasTimes = true
    }
    prepareActivity(at: time.seconds, emit)
    assembler?.add(point.values, at: time.seconds, emit)
  }

  /// Begins an activity, unless the track continues the current one.
  private mutating func prepareActivity(at seconds: Int64, _ emit: (ActivityItem) -> Void) {
    if beginsTrack {
      beginsTrack = false
      if let last = assembler?.lastTime, seconds < last || seconds - last > Self.longestBreak { endActivity(emit) }
      assembler?.beginStretch()
    }
    guard assembler == nil else { return }
    var header = header
    header.name = track.name ?? fileName
    header.note = track.note ?? fileNote
    header.sport = trackSport
    var new = ActivityAssembler()
    new.begin(header, at: seconds, emit)
    assembler = new
  }

  private mutating func endActivity(_ emit: (ActivityItem) -> Void) {
    assembler?.finish(emit)
    hasActivity = hasActivity || assembler?.hasPoints ?? false
    if let assembler { problems.add(assembler.problems) }
    assembler = nil
  }
}

// MARK: The end

extension GPXContent {
  /// Returns false if there was nothing to keep. Routes follow with `emitSome`.
  mutating func finish(_ emit: (ActivityItem) -> Void) -> Bool {
    if isInTrack { endTrack() }
    endActivity(emit)
    let hasLine = !lines.isEmpty
    if hasActivity, !hasLine {
      if !routes.isEmpty { omissions.add(text: "the planned route beside the track") }
      if !waypoints.isEmpty { omissions.add(text: "\(waypoints.count) waypoints") }
      return true
    }
    guard wanted != .activity else { return hasActivity }
    otherCues = hasLine ? routes.flatMap(\.draft.cues) + waypoints : waypoints
    ended = (hasLine ? lines : routes).filter { $0.draft.points.count > 1 }[...]
    isOnly = ended.count == 1
    return hasActivity || !ended.isEmpty
  }

  /// Emits some of the routes. Returns whether there is more.
  mutating func emitSome(_ emit: (ActivityItem) -> Void) -> Bool {
    guard let line = ended.first else { return false }
    if emission == nil {
      var header = header
      header.content = .route
      header.name = line.name ?? fileName
      header.note = line.note ?? fileNote
      emission = RouteEmission(header, line.draft)
    }
    if emission?.emitPoints(emit) == true { return true }
    emission = nil
    let (placed, distant) = RouteCues(line.draft.points, line.draft.distances).place(otherCues)
    if isOnly { problems.add(.distantCue, count: distant) }
    for cue in (line.draft.cues + placed).sorted(by: { ($0.distance ?? 0) < ($1.distance ?? 0) }) { emit(.cue(cue)) }
    ended.removeFirst()
    return !ended.isEmpty
  }

  /// Why there is nothing to keep.
  var emptiness: String {
    if wanted == .activity, problems.has(.noTime) {
      return "the points of this GPX file have no times, so it is a route and not an activity"
    }
    return wanted == .route ? "the GPX file has no route" : "the GPX file has no points of a track and no route"
  }
}
