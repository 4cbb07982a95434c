// libFuzzer's entry point: reads the bytes as those of a connection.

@c(LLVMFuzzerTestOneInput)
public func fuzzHTTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  checkRequests(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
