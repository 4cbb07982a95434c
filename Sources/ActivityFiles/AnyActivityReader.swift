// Reads a file of any format. Its content decides, not its name.

import JSON

/// A copy shares parts with the original, so use only one of them.
public struct AnyActivityReader: ActivityReader {
  private let wanted: ActivityHeader.Content?
  /// Until the format is known.
  private var beginning: [UInt8] = []
  private var reader: (any ActivityReader)?

  /// nil until enough bytes are there, and if it is unknown.
  public private(set) var format: ActivityFormat?

  /// With `route`, GPX and TCX files are read as routes; with `activity`, their routes are refused.
  /// FIT files say themselves what they are.
  public init(as wanted: ActivityHeader.Content? = nil) {
    self.wanted = wanted
  }

  public mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    guard reader == nil else {
      try reader?.feed(bytes, item: item)
      return
    }
    beginning.append(bytes)
    if beginning.count >= ActivityFormat.neededBytes { try begin(item) }
  }

  public mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError) {
    if reader == nil { try begin(item) }
    try reader?.finish(item: item)
  }

  public mutating func finishSome(item: (ActivityItem) -> Void) throws(ActivityFileError) -> Bool {
    if reader == nil { try begin(item) }
    return try reader?.finishSome(item: item) ?? false
  }

  private mutating func begin(_ item: (ActivityItem) -> Void) throws(ActivityFileError) {
    guard !beginning.isEmpty else { throw ActivityFileError("the file is empty") }
    format = ActivityFormat(content: beginning.span)
    switch format {
    case .fit: reader = FITReader()
    case .gpx: reader = GPXReader(as: wanted)
    case .tcx: reader = TCXReader(as: wanted)
    case .json: reader = JSONWorkoutReader()
    case .backup: throw ActivityFileError("this is a backup of a logbook, not an activity")
    case .csv, nil: throw ActivityFileError("this is not a FIT, GPX, TCX or JSON file")
    }
    let bytes = beginning
    beginning = []
    try reader?.feed(bytes.span, item: item)
  }
}

extension ActivityFormat {
  /// So many bytes are enough to know the format.
  public static let neededBytes = 4096

  /// From the first bytes of a file; nil if they are of no format that is read.
  public init?(content bytes: Span<UInt8>) {
    let bytes = (0..<min(bytes.count, Self.neededBytes)).map { bytes[$0] }
    if bytes.dropFirst(8).starts(with: FITFileHeader.signature) {
      self = .fit
    } else if bytes.starts(with: "SQLite format 3\0".utf8) {
      self = .backup
    } else {
      // Without byte order marks, and without the zeros of UTF-16.
      let text = bytes.filter { 1..<0x80 ~= $0 }.drop { $0 <= 0x20 }
      switch text.first {
      case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
      case UInt8(ascii: "<"):
        guard let format = Self.xml(text) else { return nil }
        self = format
      default: return nil
      }
    }
  }

  /// By the first element. The reader of GPX explains what is wrong with other XML, but a web page
  /// is not meant as XML.
  private static func xml(_ text: ArraySlice<UInt8>) -> ActivityFormat? {
    var rest = text
    while let tag = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(tag + 1)...]
      if rest.starts(with: "!--".utf8) {
        while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest.removeFirst() }
        continue
      }
      if isHTML(rest) { return nil }
      guard rest.first != UInt8(ascii: "?"), rest.first != UInt8(ascii: "!") else { continue }
      let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
      let local = name.split(separator: UInt8(ascii: ":")).last ?? []
      return local.elementsEqual("TrainingCenterDatabase".utf8) ? .tcx : .gpx
    }
    return .gpx
  }

  private static func isHTML(_ tag: ArraySlice<UInt8>) -> Bool {
    let letters = String(decoding: tag.prefix(13), as: UTF8.self).lowercased()
    return letters.hasPrefix("html") || letters == "!doctype html"
  }
}
