// The entry point of cyclometer-guide: parses the command line and runs the service.

import CommandTable
import GuideCore
import Linux
import ProgramKit
import Text

ProcessEnvironment.openStandardDescriptors()
ignoreBrokenPipes()

do throws(UsageError) {
  switch try Program.guide.parse(CommandLine.arguments, from: 1) {
  case .help(let text), .version(let text): print(text, terminator: "")
  case .run(let invocation):
    let runner = ServiceRunner(
      "cyclometer-guide", configuration: invocation.text(.config), default: "/etc/cyclometer/guide.conf")
    ProcessEnvironment.exit(runner.run(Start(invocation: invocation).guide))
  }
} catch {
  writeDiagnostics(error.text(program: "cyclometer-guide").printableLines)
  ProcessEnvironment.exit(UsageError.exitStatus)
}
