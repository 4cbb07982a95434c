// Output of the verbs. Data goes to standard output through a buffer that is flushed before every
// wait, everything else to standard error. When the reader closes the output, the program ends
// quietly.

import JSON
import Linux
import Wire

final class Output {
  /// Whether lines can be redrawn and progress shown: on a capable terminal only.
  let showsProgress: Bool
  /// The same for standard output.
  let canDraw: Bool
  private(set) var style: Style
  let isTerminal = ProcessEnvironment.isTerminalOutput
  private var buffer: [UInt8] = []

  func use(units: UnitSystem) { style.units = units }

  init() {
    let isDumb = ["", "dumb"].contains(ProcessEnvironment.variable("TERM") ?? "")
    showsProgress = ProcessEnvironment.isTerminalError && !isDumb
    canDraw = isTerminal && !isDumb
    style = .ofOutput(isTerminal: isTerminal)
  }

  /// The width of the terminal; nil without one, so that nothing is wrapped or cut.
  var columns: Int? { isTerminal ? Terminal.size(1)?.columns : nil }

  func table(_ table: Table) {
    for text in table.lines(style: style, columns: columns) { line(text) }
  }

  func line(_ text: some Sequence<UInt8>) {
    buffer.append(contentsOf: text)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count > 32 << 10 { flush() }
  }

  func line(_ text: String = "") {
    line(text.utf8)
  }

  func record(_ record: some WireValue) {
    var writer = JSONWriter()
    record.write(into: &writer)
    writer.endLine()
    bytes(writer.bytes)
  }

  /// As it came.
  func sample(_ sample: Sample) {
    if let record = sample.record { line(record.json.encoded) }
  }

  /// Text with its own line ends.
  func text(_ text: String) {
    buffer.append(contentsOf: text.utf8)
  }

  /// Text of any length with its own line ends.
  func bytes(_ text: [UInt8]) {
    buffer.append(contentsOf: text)
    if buffer.count > 32 << 10 { flush() }
  }

  func flush() {
    if buffer.isEmpty { return }
    eraseProgress()
    write(buffer.span, to: 1)
    buffer.removeAll(keepingCapacity: true)
  }

  /// A line on standard error.
  func note(_ text: String) {
    complain(text + "\n")
  }

  /// The same for text with its own line ends.
  func complain(_ text: String) {
    flush()
    eraseProgress()
    write(Array(text.utf8).span, to: 2)
  }

  /// Redraws one line. It is cut to the width, because a wrapped line could not be erased.
  func progress(_ text: String) {
    guard showsProgress else { return }
    flush()
    let text = Terminal.size(2).map { text.fitted(to: $0.columns - 1, style) } ?? text
    Terminal.draw(.line)
    hasProgress = true
    write(Array("\r\(text)\u{1B}[K".utf8).span, to: 2)
  }

  func eraseProgress() {
    guard hasProgress else { return }
    hasProgress = false
    write(Array("\r\u{1B}[K".utf8).span, to: 2)
    Terminal.draw(.nothing)
  }

  private var hasProgress = false

  private func write(_ bytes: Span<UInt8>, to number: Int32) {
    var written = 0
    while written < bytes.count {
      do throws(SystemError) {
        // Another process on this terminal may have made it non-blocking.
        guard case .done(let count) = try writeDescriptor(number, bytes.extracting(written...)) else {
          _ = try Waiting.untilWritable(number)
          continue
        }
        written += count
      } catch {
        if number == 2 { return }
        if error.isPeerGone { ProcessEnvironment.exit(ExitStatus.done.rawValue) }
        write(Array("cyclo: cannot write: \(error.reason)\n".utf8).span, to: 2)
        ProcessEnvironment.exit(ExitStatus.failed.rawValue)
      }
    }
  }
}
