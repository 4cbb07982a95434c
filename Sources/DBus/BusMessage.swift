// A message: its header, and access to its body (MessageReader, `append`).
//
// A message that D-Bus does not allow (such as an invalid path, or an array of mixed types) causes
// no crash. It remembers its first defect, and sending it fails with that error.

internal import CDBus

@safe public final class BusMessage {
  public enum Kind: Sendable {
    case call, reply, error, signal
  }

  public let kind: Kind
  /// Why this message cannot be sent.
  public internal(set) var defect: BusError?
  /// Holds one reference.
  let raw: OpaquePointer
  /// Sent or received: libdbus allows no more changes.
  var isSealed: Bool

  private init(new kind: Kind) {
    self.kind = kind
    isSealed = false
    guard let message = unsafe dbus_message_new(kind.code) else { fatalError("out of memory") }
    unsafe raw = unsafe message
  }

  /// Takes over the caller's reference. Nil for an unknown type of message.
  init?(received message: OpaquePointer) {
    guard let kind = Kind(code: unsafe dbus_message_get_type(message)) else {
      unsafe dbus_message_unref(message)
      return nil
    }
    self.kind = kind
    isSealed = true
    unsafe raw = unsafe message
  }

  deinit {
    unsafe dbus_message_unref(raw)
  }
}

// MARK: Creating

extension BusMessage {
  /// `startsService`: whether the bus may start a service that is not running.
  public static func call(
    to destination: String, path: String, interface: String, member: String, startsService: Bool = false
  ) -> BusMessage {
    let message = BusMessage(new: .call)
    message.set(.destination, destination)
    message.setTarget(path, interface, member)
    unsafe dbus_message_set_auto_start(message.raw, startsService ? 1 : 0)
    return message
  }

  public static func signal(path: String, interface: String, member: String) -> BusMessage {
    let message = BusMessage(new: .signal)
    message.setTarget(path, interface, member)
    return message
  }

  public static func reply(to call: BusMessage) -> BusMessage {
    let message = BusMessage(new: .reply)
    message.setAnswered(call)
    return message
  }

  public static func error(_ error: BusError, to call: BusMessage) -> BusMessage {
    let message = BusMessage(new: .error)
    message.setAnswered(call)
    message.set(.errorName, error.name.rawValue)
    message.append(.string(error.message))
    return message
  }

  /// A signal goes to all listeners unless it has a destination.
  public func address(to destination: String) {
    set(.destination, destination)
  }

  func refuse(_ reason: String) {
    if defect == nil { defect = BusError(.invalidArguments, reason) }
  }

  private func setTarget(_ path: String, _ interface: String, _ member: String) {
    set(.path, path)
    set(.interface, interface)
    set(.member, member)
  }

  private func setAnswered(_ call: BusMessage) {
    guard call.serial != 0 else { return refuse("an answer to a message that was never sent") }
    // libdbus aborts if the serial is 0.
    unsafe dbus_message_set_reply_serial(raw, call.serial)
    if let caller = call.sender { address(to: caller) }
    unsafe dbus_message_set_no_reply(raw, 1)
  }

  private func set(_ field: HeaderField, _ text: String) {
    guard !isSealed else { return refuse("changed after it was sent") }
    guard field.admits(text) else { return refuse("\(field): \(text)") }
    // libdbus copies the text into the header.
    let isSet = unsafe text.withCString { start in
      switch field {
      case .destination: unsafe dbus_message_set_destination(raw, start)
      case .path: unsafe dbus_message_set_path(raw, start)
      case .interface: unsafe dbus_message_set_interface(raw, start)
      case .member: unsafe dbus_message_set_member(raw, start)
      case .errorName: unsafe dbus_message_set_error_name(raw, start)
      }
    }
    if isSet == 0 { fatalError("out of memory") }
  }
}

private enum HeaderField {
  case destination, path, interface, member, errorName

  func admits(_ text: String) -> Bool {
    switch self {
    case .destination: Validity.isBusName(text)
    case .path: Validity.isPath(text)
    case .interface: Validity.isInterface(text)
    case .member: Validity.isMember(text)
    case .errorName: Validity.isErrorName(text)
    }
  }
}

// MARK: The header

extension BusMessage {
  public var serial: UInt32 { unsafe dbus_message_get_serial(raw) }
  public var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }
  public var wantsReply: Bool { unsafe kind == .call && dbus_message_get_no_reply(raw) == 0 }
  public var sender: String? { unsafe text(dbus_message_get_sender(raw)) }
  public var path: String? { unsafe text(dbus_message_get_path(raw)) }
  public var interface: String? { unsafe text(dbus_message_get_interface(raw)) }
  public var member: String? { unsafe text(dbus_message_get_member(raw)) }
  public var errorName: String? { unsafe text(dbus_message_get_error_name(raw)) }
  public var signature: String { unsafe text(dbus_message_get_signature(raw)) ?? "" }

  /// The name of an error message with its text, which by convention is the first argument.
  public var error: BusError? {
    guard kind == .error else { return nil }
    var reader = self.reader
    return BusError(BusError.Name(rawValue: errorName ?? ""), reader.string() ?? "")
  }

  public var reader: MessageReader { MessageReader(self) }

  /// The text belongs to the message, which outlives this call.
  private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe String(cString: pointer)
  }
}

extension BusMessage.Kind {
  var code: Int32 {
    switch self {
    case .call: DBUS_MESSAGE_TYPE_METHOD_CALL
    case .reply: DBUS_MESSAGE_TYPE_METHOD_RETURN
    case .error: DBUS_MESSAGE_TYPE_ERROR
    case .signal: DBUS_MESSAGE_TYPE_SIGNAL
    }
  }

  init?(code: Int32) {
    switch code {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: self = .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: self = .reply
    case DBUS_MESSAGE_TYPE_ERROR: self = .error
    case DBUS_MESSAGE_TYPE_SIGNAL: self = .signal
    default: return nil
    }
  }
}
