// The plugins that a program knows. A plugin is a value, so it can be compiled in or made at run
// time.

public struct Plugin: Sendable {
  public enum Origin: Equatable, Sendable {
    case builtIn
    /// From a file. It may take the place of a built-in plugin.
    case file(replaces: String?)
  }

  public let info: SensorInfo
  public let origin: Origin
  /// Makes the decoder of one sensor.
  public let make: @Sendable (SensorSettings) -> any SensorDecoder

  public init(
    _ info: SensorInfo, from origin: Origin = .builtIn,
    make: @escaping @Sendable (SensorSettings) -> any SensorDecoder
  ) {
    self.info = info
    self.origin = origin
    self.make = make
  }

  public init(_ type: any SensorPlugin.Type) {
    info = type.info
    origin = .builtIn
    make = { type.init(settings: $0) }
  }
}

public struct PluginRegistry: Sendable {
  /// If two plugins of a device have the same kind, the earlier one is published.
  public let plugins: [Plugin]
  public let quirks: [Quirk]

  public init(_ plugins: [Plugin], quirks: [Quirk] = []) {
    self.plugins = plugins
    self.quirks = quirks
  }

  public init(_ types: [any SensorPlugin.Type], quirks: [Quirk] = []) {
    self.init(types.map { Plugin($0) }, quirks: quirks)
  }

  /// The plugins with these ids, in the order of the registry.
  public func plugins(called ids: [String]) -> [Plugin] {
    plugins.filter { ids.contains($0.info.id) }
  }

  /// The plugins for a device, of those that can use it; none if only companions match.
  public func recognize(
    _ device: DeviceDescription, canUse: (SensorInfo) -> Bool = { _ in true }
  ) -> [Plugin] {
    let fitting = plugins.filter { $0.info.fits(device) && canUse($0.info) }
    return fitting.contains { !$0.info.isCompanion } ? fitting : []
  }

  /// The same for a device that was used with plugins before, unless it is new. Plugins of files do not
  /// join them: they are for devices that have none of these any more.
  public func recognize(
    _ device: DeviceDescription, usedWith ids: [String], canUse: (SensorInfo) -> Bool = { _ in true }
  ) -> [Plugin] {
    let fitting = recognize(device, canUse: canUse)
    if ids.isEmpty { return fitting }
    let former = plugins(continuing: ids)
    let allowed = fitting.filter { plugin in
      plugin.origin == .builtIn || former.contains { $0.info === plugin.info }
    }
    return allowed.contains { !$0.info.isCompanion } ? allowed : fitting
  }

  /// The plugins with these ids, and those that took the place of one of them.
  public func plugins(continuing ids: [String]) -> [Plugin] {
    plugins.filter { plugin in
      if case .file(let replaced?) = plugin.origin, ids.contains(replaced) { return true }
      return ids.contains(plugin.info.id)
    }
  }

  /// The ids of plugins that are not here, nor another one in their place.
  public func missing(of ids: [String]) -> [String] {
    ids.filter { id in !plugins.contains { $0.info.id == id || $0.origin == .file(replaces: id) } }
  }

  /// Decodes the packets of a device with some of the plugins.
  public func host(_ plugins: [Plugin], settings: SensorSettings, name: String = "") -> PluginHost {
    PluginHost(plugins, settings: settings, quirks: quirks, name: name)
  }
}
