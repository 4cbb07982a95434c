// libFuzzer's entry point: reads the bytes as a FIT file.

@c(LLVMFuzzerTestOneInput)
public func fuzzFIT(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  checkFIT(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
