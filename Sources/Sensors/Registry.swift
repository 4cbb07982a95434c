// All sensor plugins, one per line. If two plugins of a device have the same kind, the earlier one
// is published. No other file names a plugin.

public import SensorKit

public let registry: [any SensorPlugin.Type] = [
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
