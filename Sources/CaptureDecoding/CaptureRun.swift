// Decodes a whole capture in chunks, from a file or a pipe. Invalid lines are reported, and reading
// continues.

public import CaptureFormat
public import SensorKit

public struct CaptureRun: ~Copyable {
  private var reader = CaptureReader()
  private var decoder: CaptureDecoder

  public init(
    plugins: PluginRegistry, withRide: Bool = false, output: any DecodedOutput = DecodedJSON()
  ) {
    decoder = CaptureDecoder(plugins: plugins, withRide: withRide, output: output)
  }

  /// Whether a header line was found.
  public var hasHeader: Bool { decoder.hasHeader }

  /// Decodes the lines that these bytes complete and appends the results to `output`. `problem` is
  /// called for invalid lines.
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
