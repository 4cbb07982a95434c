// How many packets and records a capture gave.

import DeclaredSensors
import JSON

struct RecordCounts {
  var samples = 0
  var facts = 0
  var events = 0
  var answers = 0

  /// `7 packets: 6 read, 1 refused; 4 samples, 4 facts`
  func text(_ tally: PacketTally) -> String {
    let records = [(samples, "sample"), (facts, "fact"), (events, "event"), (answers, "answer")].filter { $0.0 > 0 }
    let said = records.isEmpty ? "no records" : records.map { counted($0.0, $0.1) }.joined(separator: ", ")
    return "\(counted(tally.read + tally.refused, "packet")): \(tally.read) read, \(tally.refused) refused; \(said)"
  }

  func json(_ tally: PacketTally) -> JSONValue {
    let counts = [
      ("packets", tally.read + tally.refused), ("read", tally.read), ("refused", tally.refused),
      ("samples", samples), ("facts", facts), ("events", events), ("answers", answers),
    ]
    return .object(
      [JSONValue.Member("class", "counts")] + counts.map { JSONValue.Member($0.0, .number(Double($0.1))) })
  }
}
