// The daemon's program: reads its command line and configuration, chooses a radio, and turns the loop until it is told to end.

import CommandTable
import Linux
import Wire

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
