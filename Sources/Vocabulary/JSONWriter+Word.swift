// Words in JSON. They consist of letters that need no escaping.

public import JSON

extension JSONWriter {
  @inlinable
  package mutating func word(_ word: Word) {
    beginValue()
    quote(word)
  }

  @inlinable
  package mutating func member(_ name: Word) {
    beginValue()
    quote(name)
    endName()
  }

  @inlinable @inline(__always)
  package mutating func quote(_ word: Word) {
    bytes.append(UInt8(ascii: "\""))
    word.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}
