// Reads activities and routes of GPX files, of versions 1.0 and 1.1, also truncated ones.

/// A copy shares the parser with the original, so use only one of them.
public struct GPXReader: ActivityReader {
  private var items: XMLItems<GPXContent>

  /// With `route`, times mean nothing; with `activity`, tracks without times are refused.
  public init(as wanted: ActivityHeader.Content? = nil) {
    items = XMLItems(GPXContent(as: wanted))
  }

  public mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    try items.feed(bytes, item: item)
  }

  public mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError) {
    while try finishSome(item: item) {}
  }

  public mutating func finishSome(item: (ActivityItem) -> Void) throws(ActivityFileError) -> Bool {
    try items.finishSome(item: item)
  }
}
