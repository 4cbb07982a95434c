// libFuzzer's entry point: reads the bytes as messages from a broker, one per line.

@c(LLVMFuzzerTestOneInput)
public func fuzzFleet(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  var receiver = FuzzReceiver()
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    receiver.play(line.first ?? 0, Array(line.dropFirst()))
  }
  return 0
}
