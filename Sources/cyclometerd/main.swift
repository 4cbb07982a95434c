// The entry point of cyclometerd: parses the command line and runs the service.

import CommandTable
import DaemonCore
import Linux
import ProgramKit
import Text

ProcessEnvironment.openStandardDescriptors()
ignoreBrokenPipes()

do throws(UsageError) {
  switch try Program.cyclometerd.parse(CommandLine.arguments, from: 1) {
  case .help(let text), .version(let text): print(text, terminator: "")
  case .run(let invocation):
    let runner = ServiceRunner(
      "cyclometerd", configuration: invocation.text(.config), default: "/etc/cyclometer/cyclometer.conf")
    ProcessEnvironment.exit(runner.run(Start(invocation: invocation).daemon))
  }
} catch {
  writeDiagnostics(error.text(program: "cyclometerd").printableLines)
  ProcessEnvironment.exit(UsageError.exitStatus)
}
