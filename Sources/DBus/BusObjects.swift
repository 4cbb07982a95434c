// Exported objects: each path handles calls from others, on this and all later connections.

public final class Export {
  public let path: String
  private weak var bus: Bus?

  init(bus: Bus, path: String) {
    self.bus = bus
    self.path = path
  }

  public func cancel() {
    bus?.endExport(of: path)
    bus = nil
  }
}
