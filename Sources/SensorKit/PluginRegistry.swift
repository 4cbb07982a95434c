// The plugins that a program knows. A plugin is a value, so it can be compiled in or made at run
// time.

public struct Plugin: Sendable {
  public let info: SensorInfo
  /// Makes the decoder of one sensor.
  public let make: @Sendable (SensorSettings) -> any SensorDecoder

  public init(_ info: SensorInfo, make: @escaping @Sendable (SensorSettings) -> any SensorDecoder) {
    self.info = info
    self.make = make
  }

  public init(_ type: any SensorPlugin.Type) {
    info = type.info
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

  /// Decodes the packets of a device with some of the plugins.
  public func host(_ plugins: [Plugin], settings: SensorSettings, name: String = "") -> PluginHost {
    PluginHost(plugins, settings: settings, quirks: quirks, name: name)
  }
}
