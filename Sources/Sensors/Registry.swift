// Every sensor that Cyclometer understands, one line each. Of two plugins of one device that speak of the same kind, the
// one that stands first is published. No other file names a plugin.

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
