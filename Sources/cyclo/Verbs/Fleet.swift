// `fleet`: shows the bridge to an MQTT broker, and the bikes that it reads.

import CommandTable
import CycloCommands
import CyclometerClient
import FleetWire
import Wire

func fleet(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(FleetAction.init) else { return }
  let words = Array(session.invocation.words.dropFirst())
  switch action {
  case .status:
    if let word = words.first { throw Failure(usage: .fleet, "'\(word)' is an unexpected argument") }
    try bridgeStatus(session)
  case .watch:
    var watcher = FleetWatcher(session, group: words.first)
    try watcher.run()
  }
}

private func bridgeStatus(_ session: Session) throws(Failure) {
  do throws(ClientError) {
    let reply = try BridgeSession(session.endpoint).answer(to: BridgeStatusRequest())
    if session.isJSON { return session.output.line(reply.json.encoded) }
    let text = BridgeStatusText(status: reply.content, style: session.style, columns: session.output.columns)
    for line in text.lines { session.output.line(line) }
  } catch {
    throw Failure(bridge: error)
  }
}
