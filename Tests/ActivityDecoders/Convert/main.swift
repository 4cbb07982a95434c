// convert-activity: converts the first activity or route of a file, for the tests with other
// decoders. It reads the file twice, as an export does, and never holds it.
//
//   convert-activity [--as activity|route] INPUT OUTPUT      the formats: .fit, .gpx, .tcx, .csv
//
// Warnings go to standard error, and what the format leaves out. The exit status is 1 with a
// sentence if the file cannot be read or written.

import ActivityFiles
import Linux

struct Failure: Error {
  let reason: String
}

func readItems(
  _ path: String, as wanted: ActivityHeader.Content?, _ item: (ActivityItem) -> Void
) throws(Failure) {
  var reader = AnyActivityReader(as: wanted)
  var failure: ActivityFileError?
  do throws(SystemError) {
    try Files.stream(path) { bytes in
      guard failure == nil else { return }
      do throws(ActivityFileError) { try reader.feed(bytes.span, item: item) } catch { failure = error }
    }
  } catch {
    throw Failure(reason: error.reason)
  }
  do throws(ActivityFileError) {
    if let failure { throw failure }
    try reader.finish(item: item)
  } catch {
    throw Failure(reason: error.description)
  }
}

/// Passes on what the writer makes of the first header and its items.
func write<Writer: ActivityWriter>(
  _ path: String, _ outline: ActivityOutline, as wanted: ActivityHeader.Content?, with writer: inout Writer,
  _ output: (Span<UInt8>) throws(SystemError) -> Void
) throws(Failure) {
  var arrangement = ActivityArrangement(outline)
  var buffer: [UInt8] = []
  var headers = 0
  var failure: String?
  func add(_ item: ActivityItem) {
    if case .header = item { headers += 1 }
    guard headers == 1, failure == nil else { return }
    do throws(ActivityFileError) { try writer.write(item, into: &buffer) } catch { failure = error.description }
    if buffer.count > 32_768 { flush() }
  }
  func flush() {
    do throws(SystemError) { try output(buffer.span) } catch { failure = error.reason }
    buffer.removeAll(keepingCapacity: true)
  }
  try readItems(path, as: wanted) { arrangement.add($0, emit: add) }
  arrangement.finish(emit: add)
  if failure == nil {
    do throws(ActivityFileError) { try writer.finish(into: &buffer) } catch { failure = error.description }
    flush()
  }
  if let failure { throw Failure(reason: failure) }
}

func convert(_ input: String, _ path: String, as wanted: ActivityHeader.Content?) throws(Failure) {
  var outline = ActivityOutline()
  try readItems(input, as: wanted) { item in
    outline.add(item)
    switch item {
    case .warning(let text): writeDiagnostics("warning: \(text)\n")
    case .omission(let text): writeDiagnostics("not read: \(text)\n")
    default: break
    }
  }
  let ending = path.split(separator: ".").last.map(String.init) ?? ""
  guard let format = ActivityFormat(rawValue: ending) else { throw Failure(reason: "unknown format: \(path)") }
  let omissions = format.omissions(for: outline.contents)
  if !omissions.isEmpty { writeDiagnostics("left out: \(omissions.joined(separator: ", "))\n") }
  let file: FileDescriptorBox
  do throws(SystemError) {
    file = FileDescriptorBox(try Files.create(path, mode: 0o644))
  } catch {
    throw Failure(reason: error.reason)
  }
  let output = { (bytes: Span<UInt8>) throws(SystemError) in _ = try writeDescriptor(file.number, bytes) }
  switch format {
  case .fit:
    // A FIT file begins with its size.
    var counting = FITWriter()
    try write(input, outline, as: wanted, with: &counting) { (_: Span<UInt8>) in }
    var writer = FITWriter(dataSize: counting.dataSize)
    try write(input, outline, as: wanted, with: &writer, output)
  case .gpx:
    var writer = GPXWriter()
    try write(input, outline, as: wanted, with: &writer, output)
  case .tcx:
    var writer = TCXWriter()
    try write(input, outline, as: wanted, with: &writer, output)
  case .csv:
    var writer = CSVWriter()
    try write(input, outline, as: wanted, with: &writer, output)
  case .json, .backup: throw Failure(reason: "this format is only read")
  }
}

func main(_ arguments: ArraySlice<String>) -> Int32 {
  var arguments = arguments
  var wanted: ActivityHeader.Content?
  if arguments.first == "--as" {
    wanted = arguments.dropFirst().first == "route" ? .route : .activity
    arguments = arguments.dropFirst(2)
  }
  guard arguments.count == 2, let input = arguments.first, let output = arguments.last else {
    writeDiagnostics("usage: convert-activity [--as activity|route] INPUT OUTPUT\n")
    return 2
  }
  do throws(Failure) {
    try convert(input, output, as: wanted)
    return 0
  } catch {
    writeDiagnostics("convert-activity: \(error.reason)\n")
    return 1
  }
}

ProcessEnvironment.exit(main(CommandLine.arguments.dropFirst()))
