// A streaming parser of XML over libexpat. It takes bytes in pieces of any size and passes on the
// start and the end of each element. Whatever the bytes are, time is linear and memory is bounded:
// see XMLLimits.

internal import CExpat

public final class XMLParser {
  /// The library gets pieces of this size, so that small pieces cost no time, and few events wait.
  private static let pieceSize = 4096

  private let session = XMLSession()
  private var piece: [UInt8] = []
  /// Blanks before the declaration are skipped; some sites write them.
  private var hasBegun = false
  private var skippedLines = 0
  private var problem: XMLProblem?

  public init() {
    piece.reserveCapacity(Self.pieceSize)
  }

  /// As the file declares it; nil if it does not.
  public var encoding: String? { session.encoding }

  /// How many texts were longer than 64 KiB; the rest of them is dropped.
  public var cutTexts: Int { session.cutTexts }

  /// Throws again once it has thrown. Events before the problem are passed on first.
  public func feed(_ bytes: Span<UInt8>, _ event: (XMLEvent) -> Void) throws(XMLProblem) {
    for index in bytes.indices {
      if !hasBegun, skips(bytes[index]) { continue }
      piece.append(bytes[index])
      if piece.count == Self.pieceSize { try parsePiece(isLast: false, event) }
    }
  }

  public func finish(_ event: (XMLEvent) -> Void) throws(XMLProblem) {
    try parsePiece(isLast: true, event)
  }

  private func skips(_ byte: UInt8) -> Bool {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    if piece.isEmpty {
      if byte == UInt8(ascii: "\n") { skippedLines += 1 }
      if [0x20, 0x09, 0x0a, 0x0d].contains(byte) { return true }
    }
    // A byte order mark of UTF-8 can come before blanks, too.
    if piece.count < mark.count, byte == mark[piece.count], piece.elementsEqual(mark.prefix(piece.count)) {
      if piece.count < mark.count - 1 { return false }
      piece.removeAll(keepingCapacity: true)
      return true
    }
    hasBegun = true
    return false
  }

  private func parsePiece(isLast: Bool, _ event: (XMLEvent) -> Void) throws(XMLProblem) {
    if let problem { throw problem }
    let found = session.parse(piece.span, isLast: isLast)
    piece.removeAll(keepingCapacity: true)
    session.passOn(event)
    guard let found else { return }
    let shifted = XMLProblem(found.reason, line: found.line + skippedLines)
    problem = shifted
    throw shifted
  }
}

/// One run of the library. It queues the events of a piece, so that no closure of the caller is
/// called from C. The parser of the library never leaves this class.
@safe private final class XMLSession {
  private(set) var encoding: String?
  private(set) var cutTexts = 0
  /// nil only if there is no memory.
  private let parser = unsafe XML_ParserCreate(nil)
  private var events: [XMLEvent] = []
  private var open: [XMLName] = []
  private var scope = NamespaceScope()
  private var names: Set<String> = []
  private var nameBytes = 0
  private var text: [UInt8] = []
  private var isCut = false
  private var byteCount = 0
  private var refusal: XMLProblem.Reason?

  init() {
    guard let parser = unsafe parser else { return }
    // The library calls the handlers during `parse` only, while this object is alive.
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser, { unsafe XMLSession.of($0)?.start($1, $2) }, { context, _ in unsafe XMLSession.of(context)?.end() })
    unsafe XML_SetCharacterDataHandler(parser) { unsafe XMLSession.of($0)?.add($1, $2) }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
      unsafe XMLSession.of(context)?.refuse(.documentType)
    }
    unsafe XML_SetXmlDeclHandler(parser) { context, _, encoding, _ in
      guard let encoding = unsafe encoding else { return }
      unsafe XMLSession.of(context)?.encoding = unsafe String(cString: encoding)
    }
  }

  deinit {
    unsafe XML_ParserFree(parser)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> XMLSession? {
    unsafe context.map { unsafe Unmanaged<XMLSession>.fromOpaque($0).takeUnretainedValue() }
  }

  func passOn(_ event: (XMLEvent) -> Void) {
    for each in events { event(each) }
    events.removeAll(keepingCapacity: true)
  }

  func parse(_ bytes: Span<UInt8>, isLast: Bool) -> XMLProblem? {
    guard let parser = unsafe parser else { return XMLProblem(.malformed("there is no memory"), line: 1) }
    byteCount += bytes.count
    // The library copies what it keeps of the bytes.
    let status = unsafe bytes.withUnsafeBytes { buffer in
      unsafe XML_Parse(
        parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), isLast ? 1 : 0)
    }
    let line = Int(clamping: unsafe cyclometer_xml_line(parser))
    if let refusal { return XMLProblem(refusal, line: line) }
    if status == XML_STATUS_ERROR { return XMLProblem(reason(unsafe XML_GetErrorCode(parser), isLast), line: line) }
    // An incomplete tag waits in the library's buffer.
    let waiting = byteCount - Int(unsafe cyclometer_xml_position(parser))
    return waiting > XMLLimits.tag ? XMLProblem(.tagTooLong, line: line) : nil
  }

  private func reason(_ error: XML_Error, _ isLast: Bool) -> XMLProblem.Reason {
    if byteCount == 0 { return .empty }
    switch error {
    case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR, XML_ERROR_UNCLOSED_CDATA_SECTION:
      return isLast && !(open.isEmpty && names.isEmpty) ? .truncated : .malformed("there is no element")
    case XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING: return .encoding(encoding ?? "of the file")
    default:
      // A constant text of the library.
      return .malformed(unsafe XML_ErrorString(error).map { unsafe String(cString: $0) } ?? "unknown error")
    }
  }
}

// MARK: Handlers

extension XMLSession {
  private func refuse(_ reason: XMLProblem.Reason) {
    guard refusal == nil else { return }
    refusal = reason
    _ = unsafe XML_StopParser(parser, 0)
  }

  /// False if there are too many names.
  private func register(_ name: String) -> Bool {
    guard names.insert(name).inserted else { return true }
    nameBytes += name.utf8.count
    guard names.count > XMLLimits.names || nameBytes > XMLLimits.nameBytes else { return true }
    refuse(.tooManyNames)
    return false
  }

  private func start(
    _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard refusal == nil, let name = unsafe name else { return }
    guard open.count < XMLLimits.depth else { return refuse(.tooDeep) }
    // The library's texts end with a zero, and the list of attributes with null.
    let element = unsafe String(cString: name)
    var attributes: [(name: String, value: String)] = []
    var index = 0
    while let list = unsafe list, let name = unsafe list[index], let value = unsafe list[index + 1] {
      let (name, value) = unsafe (String(cString: name), String(cString: value))
      if !register(name) { return }
      if !scope.declare(name, value, depth: open.count) { attributes.append((name, value)) }
      index += 2
    }
    if !register(element) { return }
    let resolved = scope.element(element)
    open.append(resolved)
    events.append(.start(resolved, attributes.map { XMLAttribute(scope.attribute($0.name), $0.value) }))
    clearText()
  }

  private func end() {
    guard refusal == nil, let name = open.popLast() else { return }
    events.append(.end(name, text: String(decoding: text, as: UTF8.self)))
    scope.end(depth: open.count)
    clearText()
  }

  private func clearText() {
    text.removeAll(keepingCapacity: true)
    isCut = false
  }

  private func add(_ letters: UnsafePointer<CChar>?, _ count: Int32) {
    guard refusal == nil, let letters = unsafe letters else { return }
    let room = XMLLimits.text - text.count
    // The library passes that many letters.
    let buffer = unsafe UnsafeBufferPointer(start: letters, count: min(Int(count), room))
    for index in buffer.indices { text.append(UInt8(bitPattern: unsafe buffer[index])) }
    guard Int(count) > room, !isCut else { return }
    isCut = true
    cutTexts += 1
  }
}
