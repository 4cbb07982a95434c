// A whole capture, as bytes come: from a file, from a pipe. Lines that are wrong are said, and reading goes on.

public import SensorKit
public import Wire

public struct CaptureRun: ~Copyable {
  private var reader = CaptureReader()
  private var decoder: CaptureDecoder

  public init(
    registry: [any SensorPlugin.Type], quirks: [Quirk] = [], withRide: Bool = false,
    output: any DecodedOutput = DecodedJSON()
  ) {
    decoder = CaptureDecoder(registry: registry, quirks: quirks, withRide: withRide, output: output)
  }

  /// Whether one of its lines said that it is a capture.
  public var hasHeader: Bool { decoder.hasHeader }

  /// Decodes what these bytes complete. The lines made are appended to `output`; `problem` hears of lines that are wrong.
  public mutating func feed(_ bytes: Span<UInt8>, into output: inout [UInt8], problem: (CaptureError) -> Void) {
    reader.feed(bytes) { line, number in decoder.run(line, number, problem) }
    decoder.moveOutput(to: &output)
  }

  /// The end of the file.
  public mutating func finish(into output: inout [UInt8], problem: (CaptureError) -> Void) {
    reader.finish { line, number in decoder.run(line, number, problem) }
    decoder.finish()
    decoder.moveOutput(to: &output)
  }
}

extension CaptureDecoder {
  fileprivate mutating func run(
    _ line: Result<CaptureLine, CaptureError>, _ number: Int, _ problem: (CaptureError) -> Void
  ) {
    do throws(CaptureError) {
      try run(try line.get())
    } catch {
      problem(CaptureError(line: number, error.message))
    }
  }

  fileprivate mutating func moveOutput(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: output.bytes)
    output.removeAll()
  }
}
