// `segment`: lists, proposes, adds, renames and removes segments of the logbook, and lists efforts.

import CommandTable
import CycloCommands
import LogbookWire
import Text
import Time
import Wire

func segment(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(SegmentAction.init) else { return }
  let actions = SegmentActions(try LogbookSession(session), Array(session.invocation.words.dropFirst()))
  switch action {
  case .list: try actions.list()
  case .propose: try actions.propose()
  case .add: try actions.add()
  case .show: try actions.show()
  case .rename: try actions.rename()
  case .remove: try actions.remove()
  }
}

private struct SegmentActions {
  private let logbook: LogbookSession
  private let words: [String]

  init(_ logbook: LogbookSession, _ words: [String]) { (self.logbook, self.words) = (logbook, words) }

  private var session: Session { logbook.session }

  /// So many words, or as many as there are.
  private func require(_ count: ClosedRange<Int>, _ needed: String) throws(Failure) {
    guard words.count >= count.lowerBound else { throw Failure(usage: .segment, "this needs \(needed)") }
    if words.count > count.upperBound {
      throw Failure(usage: .segment, "'\(words[count.upperBound])' is an unexpected argument")
    }
  }

  private func id(_ word: String, of thing: String, _ list: String) throws(Failure) -> Int {
    guard let id = Int(word), RequestLimits.ids.contains(id) else {
      throw Failure(.usage, "'\(word)' is not the ID of \(thing)", advice: ["'\(list)' shows the numbers"])
    }
    return id
  }

  private func segmentID() throws(Failure) -> Int { try id(words[0], of: "a segment", "cyclo segment list") }

  private func distance(_ metres: Double?) -> Cell {
    Cell(metres.map { Quantity.text("distance_m", $0, session.style) } ?? "")
  }

  // MARK: Actions

  func list() throws(Failure) {
    try require(0...0, "nothing")
    var request = SegmentsRequest()
    var table = Table(heading: ["ID", "NAME", "DISTANCE", "ASCENT", "EFFORTS", "BEST"], isShortened: true)
    while true {
      let reply = try logbook.ask(request)
      if session.isJSON { session.output.line(reply.json.encoded) }
      for segment in reply.content.segments {
        table.rows.append([
          Cell(String(segment.id), .strong), Cell(segment.name), distance(segment.distanceM),
          Cell(segment.ascentM.map { Quantity.text("ascent_m", $0, session.style) } ?? ""),
          Cell(String(segment.efforts ?? 0)), Cell(segment.bestTimeS.map(stopwatch) ?? ""),
        ])
      }
      guard reply.content.hasMore, let last = reply.content.segments.last else { break }
      request.before = last.id
    }
    show(table, or: "No segments. 'cyclo segment propose' looks for stretches that you ride often.")
  }

  func propose() throws(Failure) {
    try require(0...1, "nothing")
    var request = SegmentProposeRequest()
    if let word = words.first { request.activity = try id(word, of: "an activity", "cyclo logbook list") }
    // The recorder reads many hours of rides.
    let reply = try logbook.ask(request, within: .seconds(300))
    if session.isJSON { return session.output.line(reply.json.encoded) }
    var table = Table(heading: ["ACTIVITY", "PART", "DISTANCE", "RIDDEN"])
    for proposal in reply.content.proposals {
      let part = "\(clock(proposal.fromS))-\(clock(proposal.toS.rounded(.up)))"
      table.rows.append([
        Cell(String(proposal.activity), .strong), Cell(part, .strong), distance(proposal.distanceM),
        Cell("\(proposal.times) times"),
      ])
    }
    show(table, or: "Nothing to propose: no stretch of 500 m was ridden three times in the same direction.")
    guard let first = reply.content.proposals.first else { return }
    let part = "\(clock(first.fromS))-\(clock(first.toS.rounded(.up)))"
    session.output.note("To add one: cyclo segment add \(first.activity) \(part) NAME")
  }

  func add() throws(Failure) {
    try require(3...(.max - 1), "an ID, a PART and a NAME")
    var request = SegmentAddRequest()
    request.activity = try id(words[0], of: "an activity", "cyclo logbook list")
    guard let part = LogbookInput.span(words[1]), let from = part.from, let to = part.to else {
      throw Failure(.usage, "'\(words[1])': a PART needs a start and an end, such as 10:00-15:30")
    }
    (request.fromS, request.toS, request.name) = (from, to, words[2...].joined(separator: " "))
    let reply = try logbook.ask(request)
    if session.isJSON { return session.output.line(reply.json.encoded) }
    let length = reply.content.distanceM.map { ", " + Quantity.text("distance_m", $0, session.style) } ?? ""
    session.output.line("Added segment \(reply.content.id): \(printable(reply.content.name))\(length)")
  }

  func show() throws(Failure) {
    try require(1...1, "an ID")
    var request = EffortsRequest()
    request.segment = try segmentID()
    var efforts: [EffortRecord] = []
    while true {
      let reply = try logbook.ask(request)
      if session.isJSON { session.output.line(reply.json.encoded) }
      efforts += reply.content.efforts
      guard reply.content.hasMore, let last = reply.content.efforts.last else { break }
      request.before = last.activity
    }
    let best = efforts.map(\.timeS).min()
    var table = Table(heading: ["DATE", "ACTIVITY", "TIME", "BEHIND", "SPEED", "POWER", "HEART RATE"])
    for effort in efforts {
      table.rows.append([
        Cell(Day(effort.start, effort.utcOffsetS)?.text ?? ""), Cell(String(effort.activity)),
        Cell(stopwatch(effort.timeS), .strong),
        Cell(effort.timeS == best ? "best" : "+" + stopwatch(effort.timeS - (best ?? 0))),
        Cell(effort.speedAvgMps.map { Quantity.text("speed_avg_mps", $0, session.style) } ?? ""),
        Cell(effort.powerAvgW.map { Quantity.text("power_avg_w", $0, session.style) } ?? ""),
        Cell(effort.bpmAvg.map { Quantity.text("bpm_avg", $0, session.style) } ?? ""),
      ])
    }
    show(table, or: "No efforts. The recorder searches past rides in the background.")
  }

  func rename() throws(Failure) {
    try require(2...(.max - 1), "an ID and a NAME")
    var request = SegmentEditRequest()
    (request.id, request.name) = (try segmentID(), words[1...].joined(separator: " "))
    let reply = try logbook.ask(request)
    session.output.line(
      session.isJSON ? reply.json.encoded : "Segment \(reply.content.id) is called \(printable(reply.content.name))")
  }

  func remove() throws(Failure) {
    try require(1...1, "an ID")
    let id = try segmentID()
    let reply = try logbook.ask(SegmentRemoveRequest(id: id))
    session.output.line(session.isJSON ? reply.json.encoded : "Removed segment \(id)")
  }

  private func show(_ table: Table, or nothing: String) {
    if session.isJSON { return }
    if table.rows.count == 1 { return session.output.note(nothing) }
    session.output.table(table)
  }
}

/// Such as `4:59.2`.
private func stopwatch(_ seconds: Double) -> String {
  guard seconds.magnitude < 1e9 else { return "years" }
  let tenths = Int((seconds * 10).rounded())
  return "\(clock(Double(tenths / 10))).\(tenths % 10)"
}

/// Such as `4:59` or `1:04:59`.
private func clock(_ seconds: Double) -> String {
  guard seconds.magnitude < 1e9 else { return "years" }
  let whole = Int(seconds)
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let hours = whole / 3600
  return hours > 0
    ? "\(hours):\(two(whole / 60 % 60)):\(two(whole % 60))" : "\(whole / 60):\(two(whole % 60))"
}
