// Turns the dialogues of a page (`C: ` marks the client's lines) into scripts for the control
// connection: the lines, a second of time, and reading everything.

/// One script for each block of client lines.
func controlScripts(of page: [UInt8]) -> [[UInt8]] {
  var scripts: [[UInt8]] = []
  var script: [UInt8] = []
  for line in page.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
    if line.starts(with: "C: ".utf8) {
      script += Step.send(Array(line.dropFirst(3))) + [Step.second, Step.read]
    } else if line.starts(with: "```".utf8), !script.isEmpty {
      scripts.append([Step.connect] + script)
      script = []
    }
  }
  return scripts
}

/// One script for each request on the page, and one of all of them.
func logbookScripts(of page: [UInt8]) -> [[UInt8]] {
  let steps = page.split(separator: UInt8(ascii: "\n"))
    .filter { $0.starts(with: #"    {"id":"#.utf8) }
    .map { Step.send(Array($0.dropFirst(4))) + [Step.second, Step.read] }
  return steps.map { [Step.connect] + $0 } + [[Step.connect] + steps.joined()]
}

/// In the layout that SocketScript reads.
private enum Step {
  static let connect: UInt8 = 0x80
  static let read: UInt8 = 0x04
  static let second: UInt8 = 0x87

  static func send(_ line: [UInt8]) -> [UInt8] { sized(0x02, line) }
}
