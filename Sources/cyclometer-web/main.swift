// The entry point of cyclometer-web: parses the command line and runs the server.

import CommandTable
import Dashboard
import Linux
import ProgramKit
import Text

ProcessEnvironment.openStandardDescriptors()
ignoreBrokenPipes()

do throws(UsageError) {
  switch try Program.web.parse(CommandLine.arguments, from: 1) {
  case .help(let text), .version(let text): print(text, terminator: "")
  case .run(let invocation):
    let runner = ServiceRunner(
      "cyclometer-web", configuration: invocation.text(.config), default: "/etc/cyclometer/web.conf")
    ProcessEnvironment.exit(runner.run(Start(invocation: invocation).server))
  }
} catch {
  writeDiagnostics(error.text(program: "cyclometer-web").printableLines)
  ProcessEnvironment.exit(UsageError.exitStatus)
}
