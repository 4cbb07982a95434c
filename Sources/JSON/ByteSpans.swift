// What spans of bytes lack: to be appended to arrays, and to be compared with the words of a format.

extension [UInt8] {
  package mutating func append(_ bytes: Span<UInt8>) {
    // The buffer is only read during the call. Appending byte by byte would check the capacity for each.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Keeps the capacity.
  package mutating func replace(with bytes: Span<UInt8>) {
    removeAll(keepingCapacity: true)
    append(bytes)
  }
}

extension Span<UInt8> {
  /// Whether these letters are at that place.
  package func has(_ text: StaticString, at place: Int) -> Bool {
    guard place >= 0, count - place >= text.utf8CodeUnitCount else { return false }
    // The string is a constant, and the buffer has its length.
    return text.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != self[place + index] { return false }
      return true
    }
  }
}
