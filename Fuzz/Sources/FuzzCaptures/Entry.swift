// libFuzzer's entry point: reads the bytes as a capture file.

@c(LLVMFuzzerTestOneInput)
public func fuzzCaptures(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  checkCapture(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
