// The entry point of cyclometer-mqtt: parses the command line and runs the service.

import BridgeCore
import CommandTable
import Linux
import ProgramKit
import Text

ProcessEnvironment.openStandardDescriptors()
ignoreBrokenPipes()

do throws(UsageError) {
  switch try Program.bridge.parse(CommandLine.arguments, from: 1) {
  case .help(let text), .version(let text): print(text, terminator: "")
  case .run(let invocation):
    let runner = ServiceRunner(
      "cyclometer-mqtt", configuration: invocation.text(.config), default: "/etc/cyclometer/mqtt.conf")
    ProcessEnvironment.exit(runner.run(Start(invocation: invocation).bridge))
  }
} catch {
  writeDiagnostics(error.text(program: "cyclometer-mqtt").printableLines)
  ProcessEnvironment.exit(UsageError.exitStatus)
}
