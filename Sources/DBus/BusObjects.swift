// Exported objects: each path handles calls from others, on this and all later connections.

extension Bus {
  /// Exports an object until the export is cancelled. Calls to other paths go to the handler of
  /// `handleCalls`.
  public func export(_ path: String, _ answer: @escaping (BusMessage) -> CallAnswer) -> Export {
    exports[path] = answer
    return Export(bus: self, path: path)
  }

  func handle(_ call: BusMessage) -> CallAnswer {
    call.path.flatMap { exports[$0] }?(call) ?? callHandler(call)
  }
}

public final class Export {
  public let path: String
  private weak var bus: Bus?

  init(bus: Bus, path: String) {
    self.bus = bus
    self.path = path
  }

  public func cancel() {
    bus?.exports[path] = nil
    bus = nil
  }
}
