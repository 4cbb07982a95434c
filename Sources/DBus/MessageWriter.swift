// Writes the arguments of a message. Every value is checked completely before its first byte is
// written. Afterwards only memory can run out, which ends the program, as elsewhere in Swift.

internal import CDBus
public import Linux

extension BusMessage {
  @discardableResult
  public func append(_ values: Value...) -> BusMessage {
    append(values)
  }

  @discardableResult
  public func append(_ values: [Value]) -> BusMessage {
    for value in values where admits(value.signature) {
      if let objection = Validity.objection(to: value) {
        refuse(objection)
      } else {
        var writer = MessageWriter(atEndOf: self)
        writer.write(value)
      }
    }
    return self
  }

  /// The receiver gets its own descriptor; the caller keeps this one.
  @discardableResult
  public func append(_ descriptor: borrowing FileDescriptor) -> BusMessage {
    guard admits("h") else { return self }
    var writer = MessageWriter(atEndOf: self)
    if !writer.write(descriptor: descriptor.number) {
      defect = BusError(.limitsExceeded, "no descriptor left to send")
    }
    return self
  }

  private func admits(_ signature: String) -> Bool {
    if isSealed { refuse("changed after it was sent") }
    if self.signature.utf8.count + signature.utf8.count > 255 { refuse("too many arguments") }
    return defect == nil
  }
}

@safe private struct MessageWriter {
  private var iterator: DBusMessageIter

  /// The message outlives the writer, which only exists during one `append`.
  init(atEndOf message: BusMessage) {
    unsafe iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(message.raw, &iterator)
  }

  /// Until it is closed, "the outer iterator must not be used", so `body` only gets the inner
  /// writer.
  private mutating func container(
    _ code: Unicode.Scalar, of content: String? = nil, _ body: (inout MessageWriter) -> Void
  ) {
    var inner = self
    let isOpen =
      if let content {
        unsafe content.withCString {
          unsafe dbus_message_iter_open_container(&iterator, Int32(code.value), $0, &inner.iterator)
        }
      } else {
        unsafe dbus_message_iter_open_container(&iterator, Int32(code.value), nil, &inner.iterator)
      }
    expectMemory(isOpen)
    body(&inner)
    expectMemory(unsafe dbus_message_iter_close_container(&iterator, &inner.iterator))
  }

  mutating func write(_ value: Value) {
    switch value {
    case .string(let text): write(text, "s")
    case .objectPath(let text): write(text, "o")
    case .signature(let text): write(text, "g")
    case .bool(let flag): write(number: dbus_bool_t(flag ? 1 : 0), "b")
    case .byte(let number): write(number: number, "y")
    case .int16(let number): write(number: number, "n")
    case .uint16(let number): write(number: number, "q")
    case .int32(let number): write(number: number, "i")
    case .uint32(let number): write(number: number, "u")
    case .int64(let number): write(number: number, "x")
    case .uint64(let number): write(number: number, "t")
    case .double(let number): write(number: number, "d")
    case .bytes(let bytes): container("a", of: "y") { $0.write(bytes) }
    case .array(let values, let element): container("a", of: element) { $0.write(values) }
    case .dictionary(let entries, let keys, let values):
      container("a", of: "{\(keys)\(values)}") { inner in
        for entry in entries { inner.container("e") { $0.write([entry.key, entry.value]) } }
      }
    case .structure(let members): container("r") { $0.write(members) }
    case .variant(let value): container("v", of: value.signature) { $0.write(value) }
    }
  }

  private mutating func write(_ values: [Value]) {
    for value in values { write(value) }
  }

  /// libdbus takes a pointer to the C string's pointer and copies the text.
  private mutating func write(_ text: String, _ code: Unicode.Scalar) {
    let isWritten = unsafe text.withCString { start in
      var start = unsafe Optional(start)
      return unsafe dbus_message_iter_append_basic(&iterator, Int32(code.value), &start)
    }
    expectMemory(isWritten)
  }

  /// libdbus copies as many bytes as the type code has, which is the size of `Number`.
  private mutating func write<Number: BitwiseCopyable>(number: Number, _ code: Unicode.Scalar) {
    let isWritten = unsafe withUnsafeBytes(of: number) { bytes in
      unsafe dbus_message_iter_append_basic(&iterator, Int32(code.value), bytes.baseAddress)
    }
    expectMemory(isWritten)
  }

  private mutating func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let isWritten = unsafe bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      let count = Int32(buffer.count)
      return unsafe dbus_message_iter_append_fixed_array(&iterator, Int32(UInt8(ascii: "y")), &start, count)
    }
    expectMemory(isWritten)
  }

  /// Returns false if the process has no descriptors left, because libdbus duplicates it.
  mutating func write(descriptor number: Int32) -> Bool {
    unsafe withUnsafeBytes(of: number) { bytes in
      unsafe dbus_message_iter_append_basic(&iterator, Int32(UInt8(ascii: "h")), bytes.baseAddress)
    } != 0
  }
}

private func expectMemory(_ success: dbus_bool_t) {
  if success == 0 { fatalError("out of memory") }
}
