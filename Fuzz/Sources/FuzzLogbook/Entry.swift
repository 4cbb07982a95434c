// libFuzzer's entry point: reads the bytes as actions of clients of logbook.sock.

import Fuzzing
import LogbookWire

private let methods = LogbookMethod.allCases.map(\.rawValue)
/// Made once, because a logbook takes longer to make than to read.
private let template: LogbookTemplate = {
  do { return try LogbookTemplate() } catch { fatalError("finding: \(error)") }
}()

@c(LLVMFuzzerTestOneInput)
public func fuzzLogbook(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  let script = SocketScript(unsafe Array(UnsafeBufferPointer(start: start, count: count)), methods: methods)
  do {
    let house = try RecorderHouse(template)
    for step in script.steps { try house.play(step) }
    try house.end()
  } catch {
    fatalError("finding: \(error)")
  }
  return 0
}
