// libFuzzer's entry point: reads the bytes as actions of clients.

@c(LLVMFuzzerTestOneInput)
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  let script = ControlScript(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  do {
    let house = try House()
    for step in script.steps { try house.play(step) }
    try house.end()
  } catch {
    fatalError("finding: \(error)")
  }
  return 0
}
