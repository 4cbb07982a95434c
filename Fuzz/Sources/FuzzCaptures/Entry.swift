// Bytes as a capture file: libFuzzer's entry.

@c(LLVMFuzzerTestOneInput)
public func fuzzCaptures(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes for as long as the call takes.
  checkCapture(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
