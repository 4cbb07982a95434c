// The entry point of cyclometerd: parses the command line and runs the service.

import CommandTable
import Linux
import Text

ProcessEnvironment.openStandardDescriptors()
ignoreBrokenPipes()

do throws(UsageError) {
  switch try Program.cyclometerd.parse(CommandLine.arguments, from: 1) {
  case .help(let text), .version(let text): print(text, terminator: "")
  case .run(let invocation): ProcessEnvironment.exit(Service(invocation).run())
  }
} catch {
  writeDiagnostics(error.text(program: "cyclometerd").printableLines)
  ProcessEnvironment.exit(UsageError.exitStatus)
}
