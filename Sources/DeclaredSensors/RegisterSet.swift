// A set of registers.

struct RegisterSet {
  private var bits = InlineArray<4, UInt64>(repeating: 0)

  subscript(_ register: UInt8) -> Bool {
    get { bits[Int(register >> 6)] >> UInt64(register & 63) & 1 == 1 }
    set {
      let bit: UInt64 = 1 << UInt64(register & 63)
      if newValue { bits[Int(register >> 6)] |= bit } else { bits[Int(register >> 6)] &= ~bit }
    }
  }
}
