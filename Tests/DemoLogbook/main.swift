// make-demo-logbook: fills the logbook of a folder with a year of simulated rides, runs, swims and
// strength work. The rides and runs are written as FIT files and imported, so everything passes
// through the code of the recorder. Called by `make run LOGBOOK=demo`.
//
//   make-demo-logbook FOLDER [YYYY-MM-DD]      the year ends before this day (default: today)
//
// A folder that has a logbook already is left as it is.

import Linux
import Time
import Wire

func fail(_ message: String) -> Never {
  writeDiagnostics("make-demo-logbook: \(message)\n")
  ProcessEnvironment.exit(1)
}

let words = Array(CommandLine.arguments.dropFirst())
guard 1...2 ~= words.count else { fail("usage: make-demo-logbook FOLDER [YYYY-MM-DD]") }
let end = words.count == 2 ? WallTime(words[1] + "T00:00:00Z") : WallTime.now
guard let end else { fail("'\(words[1])' is not a date such as 2026-11-25") }
let path = words[0] + "/logbook.db"
if Files.exists(path) { ProcessEnvironment.exit(0) }
do {
  let logbook = try DemoLogbook(in: words[0])
  let entries = DemoYear.entries(until: end)
  for entry in entries { try logbook.add(entry) }
  writeDiagnostics("make-demo-logbook: added \(entries.count) activities to \(path)\n")
} catch let refusal as Refusal {
  fail(refusal.message)
} catch {
  fail("\(error)")
}
