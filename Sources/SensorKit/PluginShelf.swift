// The plugins of a program whose files can be read again. Code that uses plugins for longer than a
// moment keeps the shelf, and gets the current ones from it.

public final class PluginShelf {
  public private(set) var registry: PluginRegistry

  public init(_ registry: PluginRegistry) { self.registry = registry }

  public func replace(with registry: PluginRegistry) { self.registry = registry }
}
