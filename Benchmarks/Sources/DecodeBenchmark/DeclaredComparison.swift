// The time of a built-in plugin and of a declared sensor, for the frames that both accept.

import DeclaredSensors
import JSON
import Linux
import SensorKit

struct DeclaredComparison {
  private let frames: Frames
  private let builtIn: Measurement
  private let declared: Measurement
  private let loop: Measurement

  init(_ workload: PluginWorkload, file: String, seconds: Double) throws {
    let program = try SensorFile(try Files.read(file), words: SensorWords()).program
    let other = PluginWorkload(plugin: program.plugin)
    frames = workload.all.only(workload.all.accepted(by: program.plugin))
    builtIn = Measurement(decoding: frames, byPluginOf: workload, seconds: seconds)
    declared = Measurement(decoding: frames, byPluginOf: other, seconds: seconds)
    loop = Measurement(goingThrough: frames, seconds: seconds)
  }

  var described: JSONValue {
    .object([
      JSONValue.Member("frames", .number(Double(frames.count))),
      JSONValue.Member("ns", .number(builtIn.nanoseconds)),
      JSONValue.Member("declared_ns", .number(declared.nanoseconds)),
      JSONValue.Member("loop_ns", .number(loop.nanoseconds)),
      JSONValue.Member("allocations", .number(declared.allocations)),
    ])
  }
}

extension Frames {
  /// The indices of the frames that a plugin decodes, each by itself.
  fileprivate func accepted(by plugin: Plugin) -> [Int] {
    (0..<count).filter { index in
      var host = PluginHost([plugin], settings: SensorSettings(circumferenceMM: 2105))
      var batch = Batch()
      do throws(DecodeError) {
        try host.decode(frame(index).span, from: source(index), at: firstTime, into: &batch)
        return true
      } catch {
        return false
      }
    }
  }
}
