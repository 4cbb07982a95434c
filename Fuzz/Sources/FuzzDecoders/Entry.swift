// Bytes as a script for the decoders: libFuzzer's entry.

import DecoderScript
import Sensors

@c(LLVMFuzzerTestOneInput)
public func fuzzDecoders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes for as long as the call takes.
  let script = Script(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  var stage = Stage(script)
  for step in script.steps { stage.play(step) }
  return 0
}
