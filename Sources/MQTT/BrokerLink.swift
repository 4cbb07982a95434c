// One connection of libmosquitto, from connecting to its end. It is never used again.
//
// - The library calls us from within its own calls. What it reports is queued in an inbox, so no
//   frame of the library is on the stack when the owner acts on it, and the owner may drop the link.
// - `open` blocks: the library resolves the name with getaddrinfo and waits for TCP. It must get the
//   name and not an address, because it compares the name with the certificate. So `open` runs on a
//   thread of its own, and the loop does not touch the link until that thread is done with it. The
//   TLS handshake and everything after it happens in the loop, on a socket that does not block.

internal import CMosquitto
internal import Linux
internal import Text
import Time

// One thread has it at a time: first the loop's, then the one that runs `open`, then the loop's again.
@safe final class BrokerLink: @unchecked Sendable {
  let settings: BrokerSettings
  let speaksVersion5: Bool
  private let continuesSession: Bool
  /// Set by `open` if it fails.
  private(set) var openingFailure: BrokerFailure?
  /// Nil until `open` has run.
  private var client: OpaquePointer?
  private var inbox = Inbox()
  private var outgoing = OutgoingMessages()
  private var topicText: [UInt8] = []
  /// Errors that the library has logged, the only place where it says what is wrong with TLS.
  private var problems: [String] = []
  private var isAnswered = false
  /// While the library handles `publish`, it reads nothing: no acknowledgement can arrive.
  private var isPublishing = false

  /// After a lost connection, a link continues its session, if the broker still has it.
  init(_ settings: BrokerSettings, speaksVersion5: Bool, continuesSession: Bool) {
    (self.settings, self.speaksVersion5, self.continuesSession) = (settings, speaksVersion5, continuesSession)
  }

  deinit {
    guard let client = unsafe client else { return }
    unsafe mosquitto_destroy(client)
  }

  private static let library: Int32 = mosquitto_lib_init()
}

// MARK: Connecting

extension BrokerLink {
  /// A will waits for the keep-alive, so that a short loss does not publish it. It can wait only as
  /// long as the broker keeps the session, and only a client that continues the session withdraws
  /// it. MQTT 3.1.1 has no such delay: there, each loss that the broker notices publishes the will.
  private var delaysWill: Bool { speaksVersion5 && settings.will != nil }

  private var keepAliveSeconds: Int64 { settings.keepAlive.components.seconds }

  /// Blocks until the broker's host has accepted the connection, or not.
  func open() {
    do throws(BrokerFailure) {
      try requireFiles()
      let client = try unsafe makeClient()
      unsafe self.client = client
      unsafe setCallbacks(of: client)
      try unsafe configure(client)
      try unsafe connect(client)
    } catch {
      openingFailure = error
    }
  }

  /// The library says neither which file it cannot read nor why.
  private func requireFiles() throws(BrokerFailure) {
    guard settings.address.isEncrypted else { return }
    for path in [settings.authorities, settings.certificate, settings.key] {
      guard let path, !Files.isDirectory(path) else { continue }
      do throws(SystemError) {
        _ = try Files.openForReading(path)
      } catch {
        throw .unreadableFile(error)
      }
    }
  }

  private func makeClient() throws(BrokerFailure) -> OpaquePointer {
    _ = Self.library
    let id = Array(settings.clientID.utf8CString)
    // With an id that it does not accept, version 2.0.11 closes descriptor 0, so it is checked before.
    guard id.count > 1, unsafe mosquitto_validate_utf8(id, Int32(id.count - 1)) == 0 else { throw .invalidSettings }
    // The library passes the address to our functions, during calls of this class only.
    guard
      let client = unsafe mosquitto_new(
        id, !(delaysWill && continuesSession), Unmanaged.passUnretained(self).toOpaque())
    else { throw .invalidSettings }
    return unsafe client
  }

  private func configure(_ client: OpaquePointer) throws(BrokerFailure) {
    let version = speaksVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    try require(unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version))
    // A small message does not wait for the acknowledgement of the one before.
    try require(unsafe mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1))
    try require(unsafe mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, Int32(settings.unacknowledgedLimit)))
    if let user = settings.user {
      try require(unsafe mosquitto_username_pw_set(client, user, settings.password))
    }
    if let will = settings.will { try unsafe set(will, of: client) }
    guard settings.address.isEncrypted else { return }
    let isFolder = Files.isDirectory(settings.authorities)
    try require(
      unsafe cyclometer_mqtt_set_tls(
        client, isFolder ? nil : settings.authorities, isFolder ? settings.authorities : nil, settings.certificate,
        settings.key))
    // Without a version, it is 1.2 or later.
  }

  private func set(_ will: BrokerWill, of client: OpaquePointer) throws(BrokerFailure) {
    var properties: OpaquePointer?
    if delaysWill { try unsafe add(MQTT_PROP_WILL_DELAY_INTERVAL, keepAliveSeconds, to: &properties) }
    // The library copies the payload. If it does not fail, it owns the properties.
    let code = unsafe mosquitto_will_set_v5(
      client, will.topic, Int32(will.payload.count), will.payload, Int32(will.quality.rawValue), will.isRetained,
      properties)
    if code != 0 { unsafe mosquitto_property_free_all(&properties) }
    try require(code)
  }

  private func add(
    _ property: mqtt5_property, _ value: Int64, to properties: inout OpaquePointer?
  ) throws(BrokerFailure) {
    try require(unsafe mosquitto_property_add_int32(&properties, Int32(property.rawValue), UInt32(clamping: value)))
  }

  private func connect(_ client: OpaquePointer) throws(BrokerFailure) {
    var properties: OpaquePointer?
    defer { unsafe mosquitto_property_free_all(&properties) }
    if speaksVersion5 {
      try unsafe add(MQTT_PROP_MAXIMUM_PACKET_SIZE, Int64(settings.incomingLimit), to: &properties)
    }
    if delaysWill { try unsafe add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, keepAliveSeconds, to: &properties) }
    // Not the variant for asynchronous use: it tries only the first of the host's addresses.
    let code = unsafe mosquitto_connect_bind_v5(
      client, settings.address.host, Int32(settings.address.port), Int32(clamping: keepAliveSeconds), nil, properties)
    let error = cyclometer_mqtt_errno()
    switch code {
    case Int32(MOSQ_ERR_SUCCESS.rawValue): return
    case Int32(MOSQ_ERR_EAI.rawValue):
      throw .unknownHost(unsafe gai_strerror(error).map { unsafe String(cString: $0) } ?? "unknown reason")
    // A broker that is quick to refuse can break the first write, too.
    case Int32(MOSQ_ERR_ERRNO.rawValue) where ![EPROTO, EPIPE].contains(error):
      throw .unreachable(SystemError(call: "connect", code: error, subject: settings.address.description))
    default: throw failure(code, error)
    }
  }

  /// Of setting something, which only fails if the value is not valid.
  private func require(_ code: Int32) throws(BrokerFailure) {
    if code != 0 { throw .invalidSettings }
  }
}

// MARK: The loop's calls

extension BrokerLink {
  /// -1 without a connection.
  var socket: Int32 { unsafe client.map { unsafe mosquitto_socket($0) } ?? -1 }

  func duplicateSocket() throws(SystemError) -> FileDescriptor {
    let number = unsafe cyclometer_mqtt_duplicate_socket(client)
    guard number >= 0 else { throw SystemError(call: "fcntl", code: cyclometer_mqtt_errno()) }
    return FileDescriptor(owning: number)
  }

  var wantsWrite: Bool { unsafe client.map { unsafe mosquitto_want_write($0) } ?? false }
  var hasDecrypted: Bool { unsafe client.map { unsafe cyclometer_mqtt_has_decrypted($0) } == 1 }
  var isAwaitingAnswer: Bool { !isAnswered }

  /// Reads until the socket is empty, or the inbox is full enough for one iteration of the loop.
  func read() -> BrokerFailure? {
    for _ in 0..<Inbox.packetsPerTurn {
      var isDrained: Int32 = 0
      let code = unsafe cyclometer_mqtt_read(client, &isDrained)
      if let failure = checked(code) { return failure }
      if isDrained == 1 || inbox.isFull { break }
    }
    return nil
  }

  func write() -> BrokerFailure? { checked(unsafe mosquitto_loop_write(client, 1)) }

  /// Sends a ping if it is time to, and fails if the one before has no answer.
  func keepAlive() -> BrokerFailure? { checked(unsafe mosquitto_loop_misc(client)) }

  /// Says goodbye, so that the broker does not publish the will, and forgets the session.
  func disconnect() {
    var properties: OpaquePointer?
    defer { unsafe mosquitto_property_free_all(&properties) }
    // If this fails, the broker keeps the session until it expires.
    if delaysWill { try? unsafe add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0, to: &properties) }
    _ = unsafe mosquitto_disconnect_v5(client, 0, properties)
  }

  /// Moves what has been reported to the caller, in exchange for an empty inbox.
  func exchange(_ other: inout Inbox) {
    swap(&inbox, &other)
  }

  /// A disconnection that the broker announces closes the socket without an error.
  private func checked(_ code: Int32) -> BrokerFailure? {
    let error = cyclometer_mqtt_errno()
    if code != 0 { return failure(code, error) }
    return socket < 0 ? .closed : nil
  }
}

// MARK: Messages

extension BrokerLink {
  var unwrittenBytes: Int { outgoing.unwrittenBytes }
  var unacknowledgedCount: Int { outgoing.unacknowledgedCount }

  struct Sent {
    var id: MessageID
    /// The connection is broken.
    var failure: BrokerFailure?
  }

  func publish(
    _ payload: Span<UInt8>, to topic: Span<UInt8>, _ quality: QualityOfService, isRetained: Bool
  ) throws(BrokerRequestError) -> Sent {
    topicText.removeAll(keepingCapacity: true)
    for index in topic.indices { topicText.append(topic[index]) }
    // C would not see what follows a zero.
    guard !topicText.isEmpty, topicText.count <= 0xffff, !topicText.contains(0) else { throw .invalidTopic }
    topicText.append(0)
    if quality == .atMostOnce { outgoing.queued(topic.count + payload.count) }
    var number: Int32 = 0
    isPublishing = true
    // The library copies topic and payload.
    let code = unsafe topicText.withUnsafeBytes { topic in
      unsafe payload.withUnsafeBytes { payload in
        unsafe mosquitto_publish(
          client, &number, topic.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: payload.count),
          payload.baseAddress, Int32(quality.rawValue), isRetained)
      }
    }
    isPublishing = false
    let failed = cyclometer_mqtt_errno()
    if let refused = Self.requestErrors[code] {
      if quality == .atMostOnce { outgoing.withdrawn() }
      throw refused
    }
    let id = MessageID(number: UInt16(truncatingIfNeeded: number))
    if outgoing.isUnacknowledged(id) {
      // 65,535 messages later, the broker has still not acknowledged it.
      return Sent(id: id, failure: .silent)
    }
    if quality == .atLeastOnce { outgoing.sent(id) }
    return Sent(id: id, failure: code == 0 ? nil : failure(code, failed))
  }

  func subscribe(_ filters: [String], _ quality: QualityOfService) throws(BrokerRequestError) -> Sent {
    // The library checks the rest.
    guard !filters.isEmpty, filters.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else { throw .invalidTopic }
    // C requires mutable strings, so they are copied. The library copies them again.
    let words = unsafe filters.map { unsafe strdup($0) }
    defer { unsafe words.forEach { unsafe free($0) } }
    var number: Int32 = 0
    let code = unsafe mosquitto_subscribe_multiple(
      client, &number, Int32(words.count), words, Int32(quality.rawValue), 0, nil)
    let failed = cyclometer_mqtt_errno()
    if let refused = Self.requestErrors[code] { throw refused }
    return Sent(
      id: MessageID(number: UInt16(truncatingIfNeeded: number)), failure: code == 0 ? nil : failure(code, failed))
  }

  private static let requestErrors: [Int32: BrokerRequestError] = [
    Int32(MOSQ_ERR_INVAL.rawValue): .invalidTopic, Int32(MOSQ_ERR_MALFORMED_UTF8.rawValue): .invalidTopic,
    Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue): .tooLarge, Int32(MOSQ_ERR_PAYLOAD_SIZE.rawValue): .tooLarge,
    Int32(MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue): .unsupportedQuality,
  ]
}

// MARK: The library's calls

extension BrokerLink {
  private static func of(_ context: UnsafeMutableRawPointer?) -> BrokerLink? {
    unsafe context.map { unsafe Unmanaged<BrokerLink>.fromOpaque($0).takeUnretainedValue() }
  }

  private func setCallbacks(of client: OpaquePointer) {
    unsafe mosquitto_log_callback_set(client) { _, context, level, text in
      guard level == MOSQ_LOG_ERR, let text = unsafe text else { return }
      unsafe BrokerLink.of(context)?.logged(String(cString: text))
    }
    unsafe mosquitto_connect_v5_callback_set(client) { _, context, code, _, properties in
      unsafe BrokerLink.of(context)?.answered(code, properties)
    }
    unsafe mosquitto_disconnect_v5_callback_set(client) { _, context, code, _ in
      unsafe BrokerLink.of(context)?.ended(code)
    }
    unsafe mosquitto_publish_v5_callback_set(client) { _, context, number, code, _ in
      unsafe BrokerLink.of(context)?.sent(MessageID(number: UInt16(truncatingIfNeeded: number)), code)
    }
    unsafe mosquitto_subscribe_v5_callback_set(client) { _, context, number, count, codes, _ in
      let codes = unsafe UnsafeBufferPointer(start: codes, count: Int(count))
      unsafe BrokerLink.of(context)?.subscribed(MessageID(number: UInt16(truncatingIfNeeded: number)), Array(codes))
    }
    unsafe mosquitto_message_v5_callback_set(client) { _, context, message, properties in
      guard let message = unsafe message else { return }
      unsafe BrokerLink.of(context)?.received(message.pointee, properties)
    }
  }

  private func logged(_ text: String) {
    // The first ones say what is wrong.
    if problems.count < 8 { problems.append(text) }
  }

  private func answered(_ code: Int32, _ properties: OpaquePointer?) {
    isAnswered = true
    if code != 0 { return inbox.append(.refused(refusal(code))) }
    // With a log callback, the library formats a text for each packet.
    unsafe mosquitto_log_callback_set(client, nil)
    let read = unsafe BrokerProperties(properties)
    let session = BrokerSession(
      version: speaksVersion5 ? "5" : "3.1.1",
      unacknowledgedLimit: min(settings.unacknowledgedLimit, read.receiveMaximum ?? .max),
      messageLimit: read.maximumPacketSize)
    inbox.append(.accepted(session, keepAlive: read.keepAlive))
  }

  private func refusal(_ code: Int32) -> BrokerRefusal {
    if let known = UInt8(exactly: code), known >= 0x80 { return BrokerRefusal(code: known) }
    return .ofVersion311(code)
  }

  /// Codes below are the library's own, and its call returns them, too.
  private func ended(_ code: Int32) {
    guard let code = UInt8(exactly: code), code >= 0x80 else { return }
    inbox.append(.ended(BrokerRefusal(code: code)))
  }

  /// A message of `atMostOnce` was written, or one of `atLeastOnce` acknowledged.
  private func sent(_ id: MessageID, _ code: Int32) {
    guard !isPublishing, outgoing.acknowledged(id) else { return outgoing.written() }
    let refusal = UInt8(exactly: code).flatMap { $0 >= 0x80 ? BrokerRefusal(code: $0) : nil }
    inbox.append(.acknowledged(id, refusal))
  }

  private func subscribed(_ id: MessageID, _ codes: [Int32]) {
    inbox.append(.subscribed(id, codes.map { $0 >= 0x80 ? refusal($0) : nil }))
  }

  private func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    // The library owns both texts until this returns.
    let topic = unsafe UnsafeRawBufferPointer(start: message.topic, count: strlen(message.topic))
    let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    guard topic.count + payload.count <= settings.incomingLimit else { return }
    let quality: QualityOfService = unsafe message.qos == 0 ? .atMostOnce : .atLeastOnce
    let incoming = unsafe IncomingMessage(
      quality: quality, isRetained: message.retain, user: userName(in: properties))
    unsafe inbox.append(topic, payload, incoming)
  }
}

// MARK: Failures

extension BrokerLink {
  private func failure(_ code: Int32, _ error: Int32) -> BrokerFailure {
    // For TLS, codes do not tell a refusal from an end.
    let closed = settings.address.isEncrypted ? tlsFailure() : isAwaitingAnswer ? .closedBeforeAnswer : .closed
    switch code {
    case Int32(MOSQ_ERR_TLS.rawValue), Int32(MOSQ_ERR_CONN_LOST.rawValue), Int32(MOSQ_ERR_NO_CONN.rawValue):
      return closed
    // The end of the stream within a packet is an error without a code. OpenSSL has put its own errors
    // in a queue, which the library logs.
    case Int32(MOSQ_ERR_ERRNO.rawValue):
      return error == 0 || settings.address.isEncrypted ? closed : .lost(SystemError(call: "MQTT", code: error))
    case Int32(MOSQ_ERR_KEEPALIVE.rawValue): return .silent
    case Int32(MOSQ_ERR_NOMEM.rawValue): return .local(SystemError(call: "MQTT", code: ENOMEM))
    case Int32(MOSQ_ERR_INVAL.rawValue): return .invalidSettings
    default: return .notMQTT
    }
  }

  private func tlsFailure() -> BrokerFailure {
    // Nothing is logged any more, and what is wrong with certificates shows before.
    guard isAwaitingAnswer else { return .closed }
    if problems.contains(where: { $0.has("host name verification failed") }) {
      return .wrongHostName(settings.address.host)
    }
    let certificate = unsafe client.map { unsafe cyclometer_mqtt_certificate_error($0) } ?? 0
    if certificate != 0, let words = unsafe X509_verify_cert_error_string(certificate) {
      return .untrustedCertificate(unsafe String(cString: words))
    }
    // The library's own words come before those of OpenSSL, and name the file.
    guard let first = problems.first else { return .closed }
    return TLSProblem(first)?.failure ?? .encryption(first.divided(at: "Error: ").rest ?? first)
  }
}
