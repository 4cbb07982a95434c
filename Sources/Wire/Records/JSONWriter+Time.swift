// The two clocks of a record: `t`, monotonic seconds with six decimals, and `time`, the wall clock
// as text.

public import JSON
public import Time

extension JSONWriter {
  public mutating func time(_ time: MonotonicTime) {
    beginValue()
    bytes.appendSeconds(nanoseconds: time.nanoseconds)
  }

  public mutating func member(_ name: String, _ time: MonotonicTime) {
    member(name)
    self.time(time)
  }

  public mutating func member(_ name: String, _ time: WallTime?) {
    guard let time else { return }
    member(name)
    wallTime(time)
  }

  package mutating func wallTime(_ time: WallTime) {
    beginValue()
    bytes.append(UInt8(ascii: "\""))
    bytes.appendWallTime(time)
    bytes.append(UInt8(ascii: "\""))
  }
}
