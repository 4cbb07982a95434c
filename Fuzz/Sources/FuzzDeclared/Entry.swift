// libFuzzer's entry point: reads the bytes as the text of a declared sensor, with packets after a
// zero byte.

@c(LLVMFuzzerTestOneInput)
public func fuzzDeclared(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  checkDeclared(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
