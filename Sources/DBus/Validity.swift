// Checks everything that is passed to libdbus, which aborts the process for an invalid name or
// path.

internal import CDBus

enum Validity {
  /// Deeper than any service nests, and below libdbus's limits of 32 arrays and 32 structures.
  static let deepest = 16
  /// Far above what we send; libdbus allows messages of 128 MiB and arrays of 64 MiB.
  static let largestValue = 16 << 20

  static func isPath(_ text: String) -> Bool { holds(.path, text) }
  static func isInterface(_ text: String) -> Bool { holds(.interface, text) }
  static func isMember(_ text: String) -> Bool { holds(.member, text) }
  static func isErrorName(_ text: String) -> Bool { holds(.errorName, text) }
  static func isBusName(_ text: String) -> Bool { holds(.busName, text) }
  static func isSignature(_ text: String) -> Bool { holds(.signature, text) }
  static func isSingleType(_ text: String) -> Bool { holds(.singleType, text) }

  private enum Rule {
    case path, interface, member, errorName, busName, signature, singleType
  }

  /// Swift strings are always UTF-8, as required by D-Bus, but a C string ends at the first zero.
  static func isText(_ text: String) -> Bool { !text.utf8.contains(0) && text.utf8.count <= largestValue }

  private static func holds(_ rule: Rule, _ text: String) -> Bool {
    guard isText(text) else { return false }
    // The C string only lives during the check. Passing nil omits the reason.
    let answer = unsafe text.withCString { start in
      switch rule {
      case .path: unsafe dbus_validate_path(start, nil)
      case .interface: unsafe dbus_validate_interface(start, nil)
      case .member: unsafe dbus_validate_member(start, nil)
      case .errorName: unsafe dbus_validate_error_name(start, nil)
      case .busName: unsafe dbus_validate_bus_name(start, nil)
      case .signature: unsafe dbus_signature_validate(start, nil)
      case .singleType: unsafe dbus_signature_validate_single(start, nil)
      }
    }
    return answer != 0
  }

  /// Why libdbus would reject the value; nil if it is valid.
  static func objection(to value: Value, depth: Int = 0) -> String? {
    guard depth <= deepest else { return "nested too deep" }
    switch value {
    case .string(let text): return isText(text) ? nil : "a string that holds a zero, or is too long"
    case .objectPath(let text): return isPath(text) ? nil : "no object path: \(text)"
    case .signature(let text): return isSignature(text) ? nil : "no signature: \(text)"
    case .bool, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: return nil
    case .bytes(let bytes): return bytes.count <= largestValue ? nil : "too many bytes"
    case .array(let values, let element):
      return objection(toElements: values, of: element, depth)
    case .dictionary(let entries, let keys, let values):
      guard isSingleType("a{\(keys)\(values)}"), isSingleType(keys) else { return "no dictionary: {\(keys)\(values)}" }
      return objection(toElements: entries.map(\.key), of: keys, depth)
        ?? objection(toElements: entries.map(\.value), of: values, depth)
    case .structure(let members):
      guard isSingleType(value.signature) else { return "no structure: \(value.signature)" }
      return members.lazy.compactMap { objection(to: $0, depth: depth + 1) }.first
    case .variant(let inner):
      return objection(to: inner, depth: depth + 1)
    }
  }

  private static func objection(toElements values: [Value], of element: String, _ depth: Int) -> String? {
    guard isSingleType("a" + element) else { return "no type: \(element)" }
    for value in values {
      guard value.signature == element else { return "\(value.signature) among \(element)" }
      if let objection = objection(to: value, depth: depth + 1) { return objection }
    }
    return nil
  }
}
