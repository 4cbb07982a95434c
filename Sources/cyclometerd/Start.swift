// Builds the daemon from the command line and its configuration: with BlueZ, or with a simulated
// radio.

import BlueZRadio
import CaptureFormat
import CommandTable
import DBus
import DaemonCore
import EventLoop
import Linux
import ProgramKit
import Radio
import Release
import SensorFolders
import SensorKit
import Sensors
import Simulation

struct Start {
  let invocation: Invocation

  private static let runtimeDirectory = "/run/cyclometer"
  private static let stateDirectory = "/var/lib/cyclometer"

  func daemon(_ configuration: DaemonConfiguration, _ loop: EventLoop, _ log: Log) throws(StartError) -> Daemon {
    let directories = ServiceDirectories(
      runtime: invocation.text(.runtimeDirectory) ?? Self.runtimeDirectory,
      state: invocation.text(.stateDirectory) ?? Self.stateDirectory)
    let folders =
      invocation.text(.sensors).map { SensorFileFolders(packages: nil, owner: $0) } ?? SensorFileFolders()
    let plugins = PluginKeeper(builtInPlugins, filesIn: folders, log: log)
    let simulation =
      invocation.has(.simulate)
      ? SimulatedRadio(try scene(plugins.shelf.registry), loop: loop, plugins: plugins.shelf) : nil
    let daemon = try Daemon(
      loop: loop, radio: simulation ?? bluetooth(configuration, loop, log), configuration: configuration,
      plugins: plugins,
      directories: directories, log: log, release: release, isSimulated: simulation != nil)
    if let simulation { try daemon.adopt(simulation.pairedSensors, of: simulation.addresses) }
    try daemon.start()
    return daemon
  }

  private func bluetooth(_ configuration: DaemonConfiguration, _ loop: EventLoop, _ log: Log) -> any SensorRadio {
    BlueZSensorRadio(
      loop: loop, bus: Bus(loop: loop, address: .system), log: log, powersOn: configuration.radio.powerOn,
      adapterAddress: configuration.radio.adapter, rfkill: BlueZSensorRadio.RFKill())
  }

  /// A scene by name, or a capture by path.
  private func scene(_ plugins: PluginRegistry) throws(StartError) -> any Scene {
    guard let name = invocation.text(.simulate), name != "ride" else { return RideScene() }
    if name == "bike" { return BikeScene() }
    guard Files.exists(name) else {
      throw StartError("\(name) is neither a scene (`ride`, `bike`) nor a capture file")
    }
    if Files.isDirectory(name) { return SharedStrapScene(folder: name) }
    do {
      return try CaptureScene(try Files.read(name, atMost: 256 << 20), plugins: plugins)
    } catch let error as SystemError {
      throw StartError(error)
    } catch {
      throw StartError("\(name): \(error)")
    }
  }
}
