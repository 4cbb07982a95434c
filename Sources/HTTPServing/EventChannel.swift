// Server-sent events for readers with the same content. A frame has all that changed since the one
// before, and is rendered once for all readers that have seen the same. A reader that is slow has
// no queue of frames: when its socket has room, it gets one frame of all it missed.
//
// After warm-up, a frame allocates nothing here.

public protocol FrameSource: AnyObject {
  /// Appends one message with all that changed after a version, or nothing if nothing did. A new
  /// reader has version 0. It must not publish.
  func appendChanges(after version: Int, to message: inout [UInt8])
}

public final class EventChannel {
  /// Of the newest frame. The source counts it, and it rises.
  public private(set) var version = 0
  private var readers: [EventReader] = []
  private weak var source: (any FrameSource)?
  /// The last rendering, and between which versions it is.
  private var rendered: [UInt8] = []
  private var versions = 0..<0

  public init(_ source: any FrameSource) {
    self.source = source
  }

  public var readerCount: Int { readers.count }

  /// There is a new frame. It is rendered now for readers whose sockets have room.
  public func publish(_ version: Int) {
    guard version > self.version else { return }
    self.version = version
    for reader in readers { reader.update() }
  }

  /// Sends a message to all readers at once, before the next frame. A reader whose socket has no
  /// room gets it as soon as there is some.
  public func send(_ message: [UInt8]) {
    for reader in readers { reader.send(message) }
  }

  func changes(after version: Int) -> [UInt8] {
    guard versions != version..<self.version else { return rendered }
    // Not in place, so that the source may ask for `version` meanwhile.
    var message: [UInt8] = []
    swap(&message, &rendered)
    message.removeAll(keepingCapacity: true)
    source?.appendChanges(after: version, to: &message)
    swap(&message, &rendered)
    versions = version..<self.version
    return rendered
  }

  func join(_ reader: EventReader) { readers.append(reader) }

  func leave(_ reader: EventReader) { readers.removeAll { $0 === reader } }
}
