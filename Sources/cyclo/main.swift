// `cyclo`: parses the command line, runs the verb, and ends with the documented exit status.

import CommandTable
import CycloCommands
import Linux
import Sensors
import Text

private func run(_ session: Session, _ verb: CycloVerb) throws(Failure) {
  switch verb {
  case .status: try status(session)
  case .watch: try watch(session)
  case .get: try get(session)
  case .metrics: try metrics(session)
  case .decode: try decode(session)
  case .scan: try scan(session)
  case .pair: try pair(session)
  case .list: try list(session)
  case .show: try show(session)
  case .set: try set(session)
  case .rename: try rename(session)
  case .enable: try enable(session)
  case .disable: try disable(session)
  case .command: try command(session)
  case .calibrate: try calibrate(session)
  case .forget: try forget(session)
  case .plugin: try plugin(session)
  case .ride: try ride(session)
  case .rider: try rider(session)
  case .bike: try bike(session)
  case .export: try export(session)
  case .import: try importLearned(session)
  case .logbook: try logbook(session)
  case .route: try route(session)
  case .segment: try segment(session)
  case .web: try web(session)
  case .fleet: try fleet(session)
  case .map: try map(session)
  case .capture: try capture(session)
  case .replay: try replay(session)
  case .doctor: try doctor(session)
  case .completions: completions(session)
  case .complete: complete(session)
  case .version: version(session)
  // The parser handles these.
  case .help: break
  }
}

private func main() -> ExitStatus {
  ProcessEnvironment.openStandardDescriptors()
  // A closed pipe becomes a write error, which ends the program in an orderly way.
  ignoreBrokenPipes()
  Terminal.endOnInterrupt()
  let output = Output()
  defer { output.flush() }
  do throws(UsageError) {
    switch try Program.cyclo.parse(CommandLine.arguments, from: 1) {
    case .help(let text), .version(let text): output.text(text)
    case .run(let invocation):
      // `init(rawValue:)` would build a dictionary of all names first.
      let name = invocation.verb?.name
      guard let verb = CycloVerb.allCases.first(where: { $0.rawValue == name }) else { return .usage }
      return end(Session(invocation: invocation, output: output, loadPlugins: { builtInPlugins }), verb)
    }
  } catch {
    output.complain(error.text(program: Program.cyclo.name).printableLines)
    return .usage
  }
  return .done
}

private func end(_ session: Session, _ verb: CycloVerb) -> ExitStatus {
  do throws(Failure) {
    // Programs always get SI units, so an error in the user's file does not affect them.
    if !session.isJSON {
      session.output.use(units: try UnitSystem.ofUser(option: session.invocation.text(.units)))
    }
    try run(session, verb)
    return .done
  } catch {
    session.output.tell(error)
    return error.status
  }
}

ProcessEnvironment.exit(main().rawValue)
