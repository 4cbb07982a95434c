// soak: days of riding in virtual time, with all faults of docs/field-failures.md at random
// moments.
//
//   soak [--seed N] [--seeds N] [--hours N] [--bound SECONDS] [--rows 1,9,19] [--log]
//
// Prints the faults and results of each seed. At the first violated invariant it prints seed and
// virtual time, and exits with status 1. The same seed with SWIFT_DETERMINISTIC_HASHING=1
// reproduces it.

import DaemonCore
import Linux
import Time

struct Options {
  var firstSeed: UInt64 = 1
  var seeds: UInt64 = 1
  var hours = 1
  /// How long all sensors may take to stream after the last cause is over.
  var bound = 120
  var rows: [String] = []
  var showsLog = false

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--log" {
        showsLog = true
        continue
      }
      guard let text = rest.popFirst() else { Self.end("\(name) requires a value") }
      if name == "--rows" {
        rows = text.split(separator: ",").map(String.init)
        continue
      }
      guard let value = UInt64(text) else { Self.end("\(name): \(text) is not a number") }
      switch name {
      case "--seed": firstSeed = value
      case "--seeds": seeds = value
      case "--hours": hours = Int(value)
      case "--bound": bound = Int(value)
      default: Self.end("unknown option \(name)")
      }
    }
  }

  static func end(_ message: String) -> Never {
    writeDiagnostics("soak: \(message)\n")
    ProcessEnvironment.exit(2)
  }
}

/// Unbuffered.
func say(_ text: String) {
  _ = try? writeDescriptor(1, Array((text + "\n").utf8).span)
}

/// The report of one ride.
func report(_ ride: Ride, _ seed: UInt64, _ machineTime: Duration) {
  let (listener, memory) = (ride.house.listener, ride.residentKilobytes)
  say(
    "seed \(seed): \(ride.ledger.faults) faults in \(seconds(ride.time)) s of virtual time, \(listener.samples) samples, "
      + "took \(seconds(machineTime)) s; digest of the published records: \(String(listener.digest, radix: 16))")
  if let holdings = ride.holdings {
    say("  resources before and after: \(holdings); resident \(memory.first) -> \(memory.last) kB")
  }
}

func soak(_ options: Options) throws -> Bool {
  let faults = Fault.all.filter { options.rows.isEmpty || options.rows.contains($0.row) }
  var total = Ledger()
  var transitions: [String: Int] = [:]
  for seed in options.firstSeed..<(options.firstSeed + options.seeds) {
    let begin = MonotonicTime.now
    let house = try Household(seed: seed) { if options.showsLog { say($0) } }
    let ride = Ride(house, bound: .seconds(options.bound), faults: faults)
    do {
      try ride.run(for: .seconds(3600) * options.hours)
    } catch let broken as BrokenInvariant {
      say("seed \(seed): BROKEN at \(seconds(broken.time)) s of virtual time: \(broken.what)")
      for line in broken.lastWords { say("    \(line)") }
      return false
    }
    report(ride, seed, MonotonicTime.now - begin)
    total.add(ride.ledger)
    transitions.merge(house.listener.transitions) { $0 + $1 }
    house.daemon.stop()
  }
  for line in total.table { say(line) }
  say("states: " + transitions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
  say("\(options.seeds) seeds, \(options.hours) virtual hours each, \(total.faults) faults: every invariant held")
  return true
}

ignoreBrokenPipes()
let isGood = try soak(Options(Array(CommandLine.arguments.dropFirst())))
ProcessEnvironment.exit(isGood ? 0 : 1)
