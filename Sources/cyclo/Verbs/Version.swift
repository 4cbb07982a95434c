// `version`: prints the release without contacting the daemon.

import CommandTable
import Wire

func version(_ session: Session) {
  if session.isJSON {
    let version: JSON = ["release": .string(release), "protocol": .string(HelloRecord.currentProtocol)]
    return session.output.line(version.encoded)
  }
  session.output.line("cyclo \(release)")
}
