// libFuzzer's entry point: reads the bytes as actions of clients.

import Fuzzing

private let methods = [
  "subscribe", "unsubscribe", "poll", "status", "sensors", "ping", "scan", "pair", "answer", "cancel", "forget",
  "enable", "disable", "rename", "set", "command", "capture", "replay", "ride", "export",
]

@c(LLVMFuzzerTestOneInput)
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  let script = SocketScript(unsafe Array(UnsafeBufferPointer(start: start, count: count)), methods: methods)
  do {
    let house = try House()
    for step in script.steps { try house.play(step) }
    try house.end()
  } catch {
    fatalError("finding: \(error)")
  }
  return 0
}
