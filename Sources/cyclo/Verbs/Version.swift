// `version`: prints the release without contacting the daemon.

import JSON
import Release
import Wire

func version(_ session: Session) {
  if session.isJSON {
    let version: JSONValue = ["release": .string(release), "protocol": .string(HelloRecord.currentProtocol)]
    return session.output.line(version.encoded)
  }
  session.output.line("cyclo \(release)")
}
