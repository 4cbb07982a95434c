// Divides the bytes of FIT files, one or several in a chain, into messages. Whatever the bytes are,
// it takes linear time and holds at most one message and 16 definitions.

import JSON

struct FITParser {
  enum Step {
    /// The header of a file was read.
    case file
    case definition
    case message
    /// The file ended with its checksum.
    case end
    case needsBytes
  }

  private enum State {
    case header, messages
    /// Drops the other messages of this file.
    case skipping
    case checksum
    /// Drops everything.
    case ignoring
  }

  private var state = State.header
  private var buffer: [UInt8] = []
  /// How many bytes of the buffer are done with.
  private var offset = 0
  /// Of the messages of this file; nil if the header does not have it.
  private var bytesLeft: Int?
  private var checksum = FITChecksum()
  private var definitions = [FITDefinition?](repeating: nil, count: 16)
  private var lastTime: FITTime?
  /// Counts from 1; 0 before the first header.
  private(set) var file = 0
  private(set) var message = FITReceived()
  /// The last one.
  private(set) var definition = FITDefinition(message: 0xffff, isBigEndian: false)
  private(set) var developers = FITDeveloperFields()
  private(set) var problems = FITProblems()

  mutating func report(_ problem: FITProblem) {
    problems.add(problem, file: max(1, file))
  }

  /// Call `next` until it needs bytes before giving it more.
  mutating func feed(_ bytes: Span<UInt8>) {
    buffer.removeSubrange(..<offset)
    offset = 0
    buffer.append(bytes)
  }

  mutating func next() throws(ActivityFileError) -> Step {
    while true {
      let step: Step?
      switch state {
      case .header: step = try readHeader()
      case .messages: step = readMessage()
      case .skipping: step = skip()
      case .checksum: step = readChecksum()
      case .ignoring:
        offset = buffer.count
        step = .needsBytes
      }
      if let step { return step }
    }
  }

  /// True if the last file ends here without its checksum.
  mutating func finish() throws(ActivityFileError) -> Bool {
    switch state {
    case .header:
      if available > 0, file == 0 { throw ActivityFileError("the file is too short to be a FIT file") }
      if available > 0 { report(.trailing) }
      if file == 0 { throw ActivityFileError("the file is empty") }
      return false
    case .messages, .skipping, .checksum:
      report(bytesLeft == nil ? .noSize : .truncated)
      return true
    case .ignoring: return false
    }
  }
}

// MARK: The file around the messages

extension FITParser {
  private var available: Int { buffer.count - offset }

  /// Marks bytes as done, and counts them in the checksum and the size.
  private mutating func consume(_ count: Int) {
    let bytes = buffer
    checksum.update(bytes.span.extracting(offset..<offset + count))
    offset += count
    bytesLeft = bytesLeft.map { $0 - count }
  }

  private func integer(at place: Int, bytes count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(buffer[offset + place + $1]) << (8 * $1) }
  }

  private mutating func readHeader() throws(ActivityFileError) -> Step? {
    guard available >= 12 else { return .needsBytes }
    guard buffer[offset + 8..<offset + 12].elementsEqual(FITFileHeader.signature) else {
      return try refuse("this is not a FIT file: \".FIT\" is missing in its header")
    }
    let size = Int(buffer[offset])
    guard size == 12 || size >= FITFileHeader.size else {
      return try refuse("the header of the FIT file has an impossible size, \(size) bytes")
    }
    guard available >= size else { return .needsBytes }
    file += 1
    checksum = FITChecksum()
    definitions = Array(repeating: nil, count: 16)
    developers = FITDeveloperFields()
    lastTime = nil
    if size > FITFileHeader.size { report(.longHeader(size)) }
    if buffer[offset + 1] >> 4 > 2 { report(.newProtocol(Int(buffer[offset + 1] >> 4))) }
    if size >= FITFileHeader.size { checkHeader() }
    let dataSize = integer(at: 4, bytes: 4)
    bytesLeft = nil
    consume(size)
    bytesLeft = dataSize == 0 ? nil : dataSize
    state = .messages
    return .file
  }

  private mutating func checkHeader() {
    let stored = integer(at: 12, bytes: 2)
    var checksum = FITChecksum()
    checksum.update(buffer.span.extracting(offset..<offset + 12))
    if stored != 0, stored != Int(checksum.value) { report(.headerChecksum) }
  }

  /// The first file decides whether there is anything to read.
  private mutating func refuse(_ reason: String) throws(ActivityFileError) -> Step? {
    guard file > 0 else { throw ActivityFileError(reason) }
    report(.trailing)
    state = .ignoring
    return nil
  }

  private mutating func skip() -> Step? {
    let count = min(available, bytesLeft ?? available)
    consume(count)
    guard bytesLeft == 0 else { return .needsBytes }
    state = .checksum
    return nil
  }

  private mutating func readChecksum() -> Step? {
    guard available >= 2 else { return .needsBytes }
    if integer(at: 0, bytes: 2) != Int(checksum.value) { report(.checksum) }
    offset += 2
    state = .header
    return .end
  }
}

// MARK: Messages

extension FITParser {
  private mutating func readMessage() -> Step? {
    guard bytesLeft != 0 else {
      state = .checksum
      return nil
    }
    guard available > 0 else { return .needsBytes }
    let head = buffer[offset]
    let isCompressed = head & 0x80 != 0
    guard isCompressed || head & 0x40 == 0 else { return readDefinition(localType: Int(head & 0x0f)) }
    guard let definition = definitions[Int(isCompressed ? head >> 5 & 3 : head & 0x0f)] else {
      return stop(.noDefinition)
    }
    if let step = missing(1 + definition.size) { return step }
    let bytes = buffer
    message.replace(by: definition, bytes.span.extracting(offset + 1..<offset + 1 + definition.size))
    consume(1 + definition.size)
    // A file system that lost power can leave zeros, which look like messages.
    if head == 0, definition.size > 0, message.isZero, mustNotBeZero(definition) { return stop(.zeros) }
    if isCompressed { message.setTime(decompressed(head & 0x1f)) }
    if let time = message.time { lastTime = time }
    if definition.message == FITMessageNumber.fieldDescription { developers.describe(message) }
    return .message
  }

  private mutating func readDefinition(localType: Int) -> Step? {
    let bytes = buffer
    let rest = bytes.span.extracting(offset..<bytes.count)
    guard let length = FITDefinition.length(rest) else {
      return bytesLeft.map { available >= $0 } ?? false ? stop(.wrongSize) : .needsBytes
    }
    if let step = missing(length) { return step }
    let isKnownOrder = rest[2] <= 1
    definition = FITDefinition(rest.extracting(0..<length)) { developers.type(of: $0) }
    definitions[localType] = definition
    if !isKnownOrder { report(.byteOrder) }
    consume(length)
    return .definition
  }

  /// What to do if so many bytes are not there.
  private mutating func missing(_ count: Int) -> Step? {
    if let bytesLeft, count > bytesLeft { return stop(.wrongSize) }
    return available < count ? .needsBytes : nil
  }

  private mutating func stop(_ problem: FITProblem) -> Step? {
    report(problem)
    state = .skipping
    return skip() ?? readChecksum()
  }

  private func mustNotBeZero(_ definition: FITDefinition) -> Bool {
    definition.message == FITMessageNumber.fileID || definition[fitTimestamp] != nil
  }

  /// The next time whose low five bits are these.
  private func decompressed(_ low: UInt8) -> FITTime? {
    lastTime.map { last in
      let seconds = last.seconds & ~31 + Int64(low)
      return FITTime(seconds: seconds < last.seconds ? seconds + 32 : seconds)
    }
  }
}
