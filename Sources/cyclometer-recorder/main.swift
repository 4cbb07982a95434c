// The entry point of cyclometer-recorder: parses the command line and runs the service.

import CommandTable
import Linux
import ProgramKit
import RecorderCore
import Text

ProcessEnvironment.openStandardDescriptors()
ignoreBrokenPipes()

do throws(UsageError) {
  switch try Program.recorder.parse(CommandLine.arguments, from: 1) {
  case .help(let text), .version(let text): print(text, terminator: "")
  case .run(let invocation):
    let runner = ServiceRunner(
      "cyclometer-recorder", configuration: invocation.text(.config), default: "/etc/cyclometer/recorder.conf")
    ProcessEnvironment.exit(runner.run(Start(invocation: invocation).recorder))
  }
} catch {
  writeDiagnostics(error.text(program: "cyclometer-recorder").printableLines)
  ProcessEnvironment.exit(UsageError.exitStatus)
}
