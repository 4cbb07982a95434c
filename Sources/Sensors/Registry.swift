// All compiled sensor plugins, one per line. No other file names a plugin.

public import SensorKit

public let builtInPlugins = PluginRegistry(compiledPlugins, quirks: knownQuirks)

private let compiledPlugins: [any SensorPlugin.Type] = [
  HeartRatePlugin.self,
  CyclingSpeedCadencePlugin.self,
  CyclingPowerPlugin.self,
  RunningSpeedCadencePlugin.self,
  PulseOximeterPlugin.self,
  EnvironmentPlugin.self,
  CoreBodyTemperaturePlugin.self,
  MoxyPlugin.self,
  PolarMeasurementPlugin.self,
  FitnessMachinePlugin.self,
  VariaRadarPlugin.self,
  MageneRadarPlugin.self,
  TirePressurePlugin.self,
  BatteryPlugin.self,
  DeviceInformationPlugin.self,
]
