// Objects of our own: each path answers the calls that others make to it, on this connection and on every one to come.

extension Bus {
  /// Until the export is cancelled. What is at no such path goes to whoever `handleCalls` named.
  public func export(_ path: String, _ answer: @escaping (Message) -> CallAnswer) -> Export {
    exports[path] = answer
    return Export(bus: self, path: path)
  }

  func handle(_ call: Message) -> CallAnswer {
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
