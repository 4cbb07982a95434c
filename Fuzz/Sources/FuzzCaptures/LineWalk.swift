// Feeds the lines of a capture one by one to a decoder that never gets lines that cannot be
// applied.

import CaptureDecoding
import CaptureFormat
import Fuzzing
import JSON
import Sensors

struct LineWalk: ~Copyable {
  private var decoder = CaptureDecoder(plugins: builtInPlugins, withRide: true)
  private var sheltered = CaptureDecoder(plugins: builtInPlugins, withRide: true)
  private var output: [UInt8] = []
  private var shelteredOutput: [UInt8] = []
  private var problems = 0
  private var last = 0

  mutating func take(_ result: Result<CaptureLine, CaptureError>, _ number: Int) {
    require(number > last, "line \(number) comes after line \(last)")
    last = number
    do throws(CaptureError) {
      let line = try result.get()
      requireRoundTrip(line, number)
      try decoder.run(line)
      // The line is valid, so the other decoder gets it too.
      try sheltered.run(line)
      takeOutput(line)
    } catch {
      problems += 1
      require(decoder.output.bytes.isEmpty, "line \(number) is invalid, but produced output")
    }
  }

  private func requireRoundTrip(_ line: CaptureLine, _ number: Int) {
    var written: [UInt8] = []
    line.append(to: &written)
    var read: [CaptureLine?] = []
    var reader = CaptureReader()
    reader.feed(written.span) { result, _ in read.append(try? result.get()) }
    reader.finish { result, _ in read.append(try? result.get()) }
    require(
      read == [line],
      "line \(number), \(line), is written as \(String(decoding: written, as: UTF8.self)), which is \(read)")
  }

  private mutating func takeOutput(_ line: CaptureLine) {
    for record in records(of: decoder.output.bytes) where record["class"]?.text == "refused" {
      let offset = record["offset"]?.integer ?? -1
      require(0...valueLength(line) ~= offset, "refused at \(offset) of \(valueLength(line)) bytes: \(line)")
    }
    output += decoder.output.bytes
    decoder.output.removeAll()
    shelteredOutput += sheltered.output.bytes
    sheltered.output.removeAll()
  }

  private func valueLength(_ line: CaptureLine) -> Int {
    guard case .event(_, _, let event) = line else { return 0 }
    switch event {
    case .connected, .disconnected: return 0
    case .value(_, _, let value), .advert(_, let value), .serviceData(_, let value): return value.count
    }
  }

  mutating func finish(_ whole: (output: [UInt8], problems: [CaptureError])) {
    decoder.finish()
    output += decoder.output.bytes
    sheltered.finish()
    shelteredOutput += sheltered.output.bytes
    require(output == whole.output, "line by line the output is another")
    require(shelteredOutput == output, "lines that are wrong change what the others give")
    require(problems == whole.problems.count, "line by line there are \(problems) problems")
  }
}
