import DBus
import DaemonCore
import EventLoop
func BlueZRadio(loop: EventLoop, bus: Bus, log: Log, powersOn: Bool, adapterAddress: DeviceAddress?) -> any Radio { fatalError() }
