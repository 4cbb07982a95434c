// `logbook`: the activities that the recorder keeps.

import CommandTable
import CycloCommands
import JSON
import Linux
import LogbookWire
import Text
import Time
import Wire

func logbook(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(LogbookAction.init) else { return }
  let words = Array(session.invocation.words.dropFirst())
  let count: ClosedRange<Int> =
    switch action {
    case .list, .stats, .fitness, .records, .add, .routes: 0...0
    case .import: 1...1000
    default: 1...1
    }
  guard words.count >= count.lowerBound else {
    throw Failure(
      usage: .logbook, "'\(action.rawValue)' needs \([.import, .backup].contains(action) ? "a FILE" : "an ID")")
  }
  if words.count > count.upperBound {
    throw Failure(usage: .logbook, "'\(words[count.upperBound])' is an unexpected argument")
  }
  let edits = try LogbookEdits(session, action)
  let isPicture = try isPictureWanted(session, action)
  let logbook = try LogbookSession(session)
  let verb = LogbookActions(logbook)
  switch action {
  case .list: try verb.list(edits)
  case .show: try isPicture ? verb.picture(words[0]) : verb.show(words[0])
  case .stats: try verb.stats(edits)
  case .fitness: try TrainingTables(logbook).fitness(sport: edits.sport)
  case .records: try TrainingTables(logbook).records(sport: edits.sport)
  case .export: try verb.export(words[0], edits)
  case .import: try verb.importFiles(words, as: session.invocation.has(.asRoute) ? .route : nil)
  case .backup: try verb.backup(words[0])
  case .add: try verb.add(edits)
  case .edit: try verb.edit(words[0], edits)
  case .delete: try verb.delete(words[0])
  case .restore: try verb.restore(words[0])
  case .routes: try verb.routes()
  case .route: try verb.route(words[0], edits)
  }
}

private func isPictureWanted(_ session: Session, _ action: LogbookAction) throws(Failure) -> Bool {
  guard session.invocation.has(.picture) else {
    if session.invocation.has(.color) { throw Failure(usage: .logbook, "--color needs --svg") }
    return false
  }
  if action != .show { throw Failure(usage: .logbook, "--svg needs the action 'show'") }
  if session.isJSON { throw Failure(usage: .logbook, "--svg and --json cannot be combined") }
  return true
}

/// The values of the options, checked before anything is sent.
struct LogbookEdits {
  private(set) var sport: String?
  private(set) var start: (time: WallTime, utcOffset: Int)?
  private(set) var duration: Double?
  private(set) var distance: Double?
  private(set) var crop: (from: Double?, to: Double?)?
  private(set) var split: Double?

  init(_ session: Session, _ action: LogbookAction) throws(Failure) {
    sport = session.invocation.text(.sport).map { $0.lowercased() }
    start = try Self.read(session, .start, "a time such as 2026-05-03T09:30", LogbookInput.time)
    duration = try Self.read(session, .duration, "a duration such as 1:30:00") { LogbookInput.seconds($0) }
    distance = try Self.read(session, .distance, "a distance such as 42.2km", LogbookInput.distance)
    crop = try Self.read(session, .crop, "a part such as 0:30-1:45:00", LogbookInput.span)
    split = try Self.read(session, .split, "a time such as 1:30:00") { LogbookInput.seconds($0) }
    if action == .add, sport == nil || start == nil || duration == nil {
      throw Failure(usage: .logbook, "'add' needs --sport, --start and --duration")
    }
  }

  private static func read<Value>(
    _ session: Session, _ option: Option, _ expected: String, _ convert: (String) -> Value?
  ) throws(Failure) -> Value? {
    guard let text = session.invocation.text(option) else { return nil }
    guard let value = convert(text) else {
      throw Failure(usage: .logbook, "--\(option.name): '\(text)' is not \(expected)")
    }
    return value
  }
}

struct LogbookActions {
  private let logbook: LogbookSession
  private var session: Session { logbook.session }
  private var output: Output { session.output }

  init(_ logbook: LogbookSession) { self.logbook = logbook }

  // MARK: Reading

  func list(_ edits: LogbookEdits) throws(Failure) {
    var left = session.invocation.count(.limit) ?? RequestLimits.defaultPage
    var request = ListRequest()
    request.sport = edits.sport
    request.text = session.invocation.text(.search)
    request.deleted = session.invocation.has(.deleted)
    var table = Table(
      heading: ["ID", "START", "SPORT", "NAME", "TIME", "DISTANCE", "ASCENT", "POWER", "HEART RATE"],
      dispensable: ["HEART RATE", "POWER", "ASCENT", "SPORT"], isShortened: true)
    while left > 0 {
      request.limit = min(left, RequestLimits.page.upperBound)
      let reply = try logbook.ask(request)
      if session.isJSON { output.line(reply.json.encoded) }
      for activity in reply.content.activities { table.rows.append(row(activity)) }
      left -= max(1, reply.content.activities.count)
      guard reply.content.hasMore, let last = reply.content.activities.last else { break }
      request.before = last.id
    }
    if session.isJSON { return }
    if table.rows.count == 1 { return output.note("No activities.") }
    output.table(table)
  }

  private func row(_ activity: ActivityRecord) -> [Cell] {
    func cell(_ field: String, _ value: Double?) -> Cell {
      Cell(value.map { Quantity.text(field, $0, session.style) } ?? "")
    }
    let marks = activity.marks.isEmpty ? "" : " (\(activity.marks))"
    return [
      Cell(String(activity.id), .strong), Cell(activity.localStart), Cell(activity.sport ?? ""),
      Cell((activity.name ?? "") + marks), cell("ride_time_s", activity.rideTimeS ?? activity.elapsedTimeS),
      cell("distance_m", activity.totals.distanceM), cell("ascent_m", activity.totals.ascentM),
      cell("power_avg_w", activity.totals.powerAvgW), cell("bpm_avg", activity.totals.bpmAvg),
    ]
  }

  func show(_ word: String) throws(Failure) {
    let id = try logbook.activity(word)
    let detail = try logbook.ask(ShowRequest(id: id))
    if session.isJSON { return output.line(detail.json.encoded) }
    var laps: [ActivityLapRecord] = []
    while true {
      let reply = try logbook.ask(LapsRequest(id: id, after: laps.last?.lap)).content
      laps += reply.laps
      guard reply.hasMore, !reply.laps.isEmpty else { break }
    }
    var request = SeriesRequest()
    // All fields, because a field that the activity lacks would be refused.
    request.id = id
    let series = try logbook.document(request, SeriesDocument.self)
    let page = ActivityPage(detail: detail.content, laps: laps, series: series, style: session.style)
    for line in page.lines(columns: output.columns) { output.line(line) }
  }

  func picture(_ word: String) throws(Failure) {
    let id = try logbook.activity(word)
    let wanted = session.invocation.text(.color).flatMap(RouteColor.init)
    let detail = try logbook.ask(ShowRequest(id: id)).content
    var trackRequest = TrackRequest()
    (trackRequest.id, trackRequest.points) = (id, RequestLimits.points.upperBound)
    guard let document = try logbook.document(trackRequest, TrackDocument.self), let track = RouteTrack(document) else {
      throw Failure(.failed, "activity \(id) has no positions, so there is no route to draw")
    }
    var seriesRequest = SeriesRequest()
    (seriesRequest.id, seriesRequest.points) = (id, RequestLimits.points.upperBound)
    let series = try logbook.document(seriesRequest, SeriesDocument.self)
    let coloring = RouteColoring.chosen(wanted, track, series, floors: detail.zoneFloorsBpm)
    if let wanted, coloring == nil {
      throw Failure(.failed, "activity \(id) has no \(wanted.words) along its route; use another --color")
    }
    let picture = RoutePicture(track, coloring, of: detail.activity, units: session.style.units).svg
    let path = session.invocation.text(.output) ?? "-"
    if path == "-" { return output.text(picture) }
    do throws(SystemError) {
      try Files.replace(path, with: Array(picture.utf8), mode: 0o644)
    } catch {
      throw Failure(.failed, "cannot write \(path): \(error.reason)")
    }
    output.note("Saved \(path).")
  }

  func stats(_ edits: LogbookEdits) throws(Failure) {
    var request = StatisticsRequest()
    request.by = session.invocation.text(.by).flatMap(StatisticsPeriod.init) ?? .month
    request.sport = edits.sport
    var table = Table(
      heading: [request.by.rawValue.uppercased(), "COUNT", "MOVING", "DISTANCE", "ASCENT", "ENERGY", "LOAD"],
      dispensable: ["LOAD", "ENERGY"], isShortened: true)
    while true {
      let reply = try logbook.ask(request)
      if session.isJSON { output.line(reply.json.encoded) }
      table.rows += reply.content.rows.map(self.row)
      guard reply.content.hasMore, let last = reply.content.rows.last else { break }
      request.beforePeriod = last.period
    }
    if session.isJSON { return }
    if table.rows.count == 1 { return output.note("No activities.") }
    output.table(table)
  }

  private func row(_ totals: StatisticsRow) -> [Cell] {
    func cell(_ field: String, _ value: Double?) -> Cell {
      Cell(value.map { Quantity.text(field, $0, session.style) } ?? "")
    }
    return [
      Cell(totals.period, .strong), Cell(String(totals.activities)), cell("moving_time_s", totals.movingTimeS),
      cell("distance_m", totals.distanceM), cell("ascent_m", totals.ascentM), cell("energy_kcal", totals.energyKcal),
      cell("training_load", totals.trainingLoad),
    ]
  }

  // MARK: Files

  func export(_ word: String, _ edits: LogbookEdits) throws(Failure) {
    var request = ExportRequest()
    request.id = try logbook.activity(word)
    request.format = session.invocation.text(.format).flatMap(ExportFormat.init) ?? .fit
    request.start = edits.start?.time
    try save(try logbook.ask(request), to: session.invocation.text(.output))
  }

  func backup(_ path: String) throws(Failure) {
    try save(try logbook.ask(BackupRequest()), to: path)
  }

  func route(_ word: String, _ edits: LogbookEdits) throws(Failure) {
    guard let id = Int(word), id > 0 else { throw Failure(usage: .logbook, "'\(word)' is not the id of a route") }
    var request = RouteRequest()
    request.id = id
    request.format = session.invocation.text(.format).flatMap(RouteFormat.init) ?? .gpx
    try save(try logbook.ask(request), to: session.invocation.text(.output))
  }

  /// Without a path, a terminal gets a file with the name that the recorder suggests. The file
  /// appears under its name when it is complete.
  private func save(_ reply: Received<TransferReply>, to path: String?) throws(Failure) {
    let transfer = reply.content
    let name = transfer.name.map { $0.split(separator: "/").last.map(String.init) ?? "logbook" } ?? "logbook"
    let path = path ?? (output.isTerminal ? name : "-")
    if path == "-" {
      try logbook.receive(transfer) { (bytes) throws(Failure) in output.bytes(bytes) }
    } else {
      try receive(transfer, into: path)
    }
    if session.isJSON, path != "-" { output.line(reply.json.encoded) }
    if !session.isJSON, path != "-" { output.note("Saved \(path).") }
    if !transfer.leftOut.isEmpty { output.note("Not in this format: \(listed(transfer.leftOut))") }
  }

  private func receive(_ transfer: TransferReply, into path: String) throws(Failure) {
    let beside = path + ".new"
    func written<Result>(_ body: () throws(SystemError) -> Result) throws(Failure) -> Result {
      do throws(SystemError) {
        return try body()
      } catch {
        throw Failure(.failed, "cannot write \(path): \(error.reason)")
      }
    }
    if Files.exists(beside) { try written { () throws(SystemError) in try Files.remove(beside) } }
    let number = try written { () throws(SystemError) in try Files.create(beside, mode: 0o644).release() }
    let file = OpenFile(FileDescriptor(owning: number))
    do throws(Failure) {
      try logbook.receive(transfer) { (bytes) throws(Failure) in
        try written { () throws(SystemError) in try file.write(bytes) }
      }
      try written { () throws(SystemError) in try Files.rename(beside, to: path) }
    } catch {
      try? Files.remove(beside)
      throw error
    }
  }

  /// Nil to decide by the content of each file.
  func importFiles(_ paths: [String], as target: ImportTarget?) throws(Failure) {
    for path in paths {
      let content = try content(of: path)
      let name = path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
      guard !content.isEmpty else { throw Failure(.failed, "\(path) is empty") }
      let reply: Received<PutReply>
      do throws(Failure) {
        reply = try logbook.upload(content, named: String(name.prefix(60)), as: target)
      } catch {
        throw Failure(error.status, "\(path): \(error.message)", advice: error.advice)
      }
      for warning in reply.content.warnings { output.note("\(path): \(printable(warning))") }
      if session.isJSON {
        output.line(reply.json.encoded)
        continue
      }
      let result = reply.content
      for id in result.added ?? [] { output.line("\(printable(path)): added activity \(id)") }
      for id in result.routes { output.line("\(printable(path)): added route \(id)") }
      for id in result.duplicateOf { output.line("\(printable(path)): already there as \(id)") }
      if (result.added ?? []).isEmpty, result.routes.isEmpty, result.duplicateOf.isEmpty {
        output.line("\(printable(path)): nothing new")
      }
    }
  }

  // MARK: Changes

  func add(_ edits: LogbookEdits) throws(Failure) {
    var request = AddRequest()
    guard let sport = edits.sport, let start = edits.start, let duration = edits.duration else { return }
    (request.sport, request.start, request.utcOffsetS) = (sport, start.time, start.utcOffset)
    request.elapsedTimeS = duration
    request.values.distanceM = edits.distance
    request.name = session.invocation.text(.title)
    request.note = session.invocation.text(.note)
    try report("Added", logbook.ask(request))
  }

  func edit(_ word: String, _ edits: LogbookEdits) throws(Failure) {
    var id = try logbook.activity(word)
    var isChanged = false
    if session.invocation.has(.revert) {
      try report("Reverted", logbook.ask(RevertRequest(id: id)))
      isChanged = true
    }
    var request = EditRequest()
    request.id = id
    let unchanged = request
    request.name = session.invocation.text(.title)
    request.note = session.invocation.text(.note)
    request.sport = edits.sport
    (request.start, request.utcOffsetS) = (edits.start?.time, edits.start?.utcOffset)
    request.elapsedTimeS = edits.duration
    request.values.distanceM = edits.distance
    if request != unchanged {
      try report("Changed", logbook.ask(request))
      isChanged = true
    }
    var others: [Int] = []
    for word in session.invocation.texts(.join) { others.append(try logbook.activity(word)) }
    if !others.isEmpty {
      let reply = try logbook.ask(JoinRequest(ids: [id] + others))
      report("Joined into", reply)
      // What follows is for the activity that shows them all, the first in time.
      (id, isChanged) = (reply.content.id, true)
    }
    if let crop = edits.crop {
      var request = CropRequest()
      (request.id, request.fromS, request.toS) = (id, crop.from, crop.to)
      try report("Cropped", logbook.ask(request))
      isChanged = true
    }
    if let split = edits.split {
      var request = SplitRequest()
      (request.id, request.atS) = (id, split)
      let reply = try logbook.ask(request)
      let ids = reply.content.activities.map { String($0.id) }.joined(separator: " and ")
      output.line(session.isJSON ? reply.json.encoded : "Split into \(ids)")
      isChanged = true
    }
    if !isChanged { throw Failure(usage: .logbook, "'edit' needs an option that says what to change") }
  }

  func delete(_ word: String) throws(Failure) {
    let id = try logbook.activity(word)
    try report("Deleted", logbook.ask(DeleteRequest(id: id)))
    if !session.isJSON { output.note("To undo it within 30 days: cyclo logbook restore \(id)") }
  }

  func restore(_ word: String) throws(Failure) {
    guard let id = Int(word), id > 0 else {
      throw Failure(usage: .logbook, "'\(word)' is not an id; see 'cyclo logbook list --deleted'")
    }
    try report("Restored", logbook.ask(RestoreRequest(id: id)))
  }

  private func report(_ what: String, _ reply: Received<ActivityRecord>) {
    let activity = reply.content
    output.line(
      session.isJSON
        ? reply.json.encoded
        : "\(what) \(activity.id): \(printable(activity.title)), \(activity.localStart)")
  }

  func routes() throws(Failure) {
    var request = RoutesRequest()
    var table = Table(
      heading: ["ID", "NAME", "DISTANCE", "ASCENT", "ADDED"], dispensable: ["ADDED"], isShortened: true)
    while true {
      let reply = try logbook.ask(request)
      if session.isJSON { output.line(reply.json.encoded) }
      for route in reply.content.routes {
        table.rows.append([
          Cell(String(route.id), .strong), Cell(route.name),
          Cell(route.distanceM.map { Quantity.text("distance_m", $0, session.style) } ?? ""),
          Cell(route.ascentM.map { Quantity.text("ascent_m", $0, session.style) } ?? ""),
          Cell(route.added.map { String($0.isoText.prefix(10)) } ?? ""),
        ])
      }
      guard reply.content.hasMore, let last = reply.content.routes.last else { break }
      request.before = last.id
    }
    if session.isJSON { return }
    if table.rows.count == 1 { return output.note("No routes.") }
    output.table(table)
  }
}

/// A file that is being written.
private final class OpenFile {
  private let descriptor: FileDescriptor

  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      if case .done(let count) = try descriptor.write(bytes.span.extracting(written...)) { written += count }
    }
  }
}
