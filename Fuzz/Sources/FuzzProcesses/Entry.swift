// libFuzzer's entry point: reads the bytes as a script for the programs of sensors.

@c(LLVMFuzzerTestOneInput)
public func fuzzProcesses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer keeps the bytes during the call.
  let script = ProcessScript(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  let desk = ProgramDesk()
  for step in script.steps { desk.play(step) }
  return 0
}
