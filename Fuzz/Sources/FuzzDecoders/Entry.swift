// libFuzzer's entry point: reads the bytes as a script for the decoders.

import DecoderScript
import Sensors

@c(LLVMFuzzerTestOneInput)
public func fuzzDecoders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  let script = Script(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  var stage = Stage(script)
  for step in script.steps { stage.play(step) }
  return 0
}
