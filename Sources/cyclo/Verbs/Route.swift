// `route`: lists and adds routes of the logbook, and has the guide follow one.

import CommandTable
import CycloCommands
import GuideWire
import LogbookWire
import Text
import Wire

func route(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(RouteAction.init) else { return }
  let words = Array(session.invocation.words.dropFirst())
  switch action {
  case .list:
    try require(0...0, words, "list")
    try LogbookActions(LogbookSession(session)).routes()
  case .add:
    guard !words.isEmpty else { throw Failure(usage: .route, "'add' needs a FILE") }
    try LogbookActions(LogbookSession(session)).importFiles(words, as: .route)
  case .follow:
    try require(1...1, words, "follow")
    guard let id = Int(words[0]), RequestLimits.ids.contains(id) else {
      throw Failure(
        .usage, "'\(words[0])' is not the ID of a route", advice: ["'cyclo route list' shows the routes"])
    }
    try follow(id, session)
  case .leave:
    try require(0...0, words, "leave")
    let reply = try GuideSession(session).ask(LeaveRequest())
    session.output.line(session.isJSON ? reply.json.encoded : "No route is followed.")
  }
}

private func require(_ count: ClosedRange<Int>, _ words: [String], _ action: String) throws(Failure) {
  guard words.count >= count.lowerBound else { throw Failure(usage: .route, "'\(action)' needs an ID") }
  if words.count > count.upperBound {
    throw Failure(usage: .route, "'\(words[count.upperBound])' is an unexpected argument")
  }
}

private func follow(_ id: Int, _ session: Session) throws(Failure) {
  let reply = try GuideSession(session).ask(FollowRequest(route: id))
  if session.isJSON { return session.output.line(reply.json.encoded) }
  let route = reply.content
  let length = route.distanceM.map { ", " + Quantity.text("distance_m", $0, session.style) } ?? ""
  session.output.line("Following route \(route.route): \(printable(route.name ?? ""))\(length)")
}
