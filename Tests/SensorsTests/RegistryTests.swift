// What must hold of every plugin that is listed, and what a device is taken for.

import SensorKit
import Sensors
import Testing

@Suite struct RegistryTests {
  @Test func everyPluginDescribesItself() {
    let infos = registry.map { $0.info }
    #expect(Set(infos.map(\.id)).count == infos.count, "ids are unique")
    for info in infos {
      #expect(info.id.allSatisfy { $0 == "_" || $0.isLowercase || $0.isNumber } && !info.id.isEmpty)
      #expect(!info.title.isEmpty)
      #expect(!info.services.isEmpty || !info.adverts.isEmpty, "\(info.id) can be recognised")
      #expect(info.isCompanion || !info.kinds.isEmpty, "\(info.id) is a sensor of something")
      for use in info.characteristics { #expect(info.services.contains(use.service), "\(info.id)") }
      if let stale = info.silence.staleAfter, let reconnect = info.silence.reconnectAfter {
        #expect(stale < reconnect, "\(info.id)")
      }
    }
  }

  @Test func aDeviceWithEveryServiceIsAskedForAllOfThem() {
    var host = PluginHost(registry, settings: SensorSettings())
    var batch = Batch()
    host.connected(at: MonotonicTime(seconds: 1), into: &batch)
    let hasRoom = !batch.overflowed
    #expect(hasRoom)
    let uses = registry.flatMap { $0.info.characteristics }
    let asked = batch.actions.count
    #expect(asked >= uses.count { $0.isSubscribed } + uses.count { $0.isRead })
  }

  @Test func noPluginTakesACommandThatItDoesNotList() {
    for type in registry {
      var plugin = type.init(settings: SensorSettings())
      var batch = Batch()
      var refusal: CommandError?
      do throws(CommandError) {
        try plugin.command(Command(name: "sing", value: 1), at: MonotonicTime(seconds: 1), into: &batch)
      } catch {
        refusal = error
      }
      let writes = batch.actions.count
      #expect(refusal == .notSupported && writes == 0 && plugin.deadline == nil, "\(type.info.id)")
    }
  }

  static let devices: [(String, DeviceDescription, [String])] = [
    ("a strap", DeviceDescription(services: [BluetoothUUID(0x180d)]), ["heart_rate"]),
    (
      "a strap with companions",
      DeviceDescription(services: [BluetoothUUID(0x180a), BluetoothUUID(0x180f), BluetoothUUID(0x180d)]),
      ["heart_rate", "battery", "device_information"]
    ),
    (
      "a strap that measures more",
      DeviceDescription(services: [
        BluetoothUUID("fb005c80-02e7-f387-1cad-8acd2d8df0c8") ?? BluetoothUUID(0), BluetoothUUID(0x180d),
      ]),
      ["heart_rate", "polar_measurement"]
    ),
    (
      "a trainer that speaks everything",
      DeviceDescription(services: [BluetoothUUID(0x1826), BluetoothUUID(0x1818), BluetoothUUID(0x1816)]),
      ["cycling_speed_cadence", "cycling_power", "fitness_machine"]
    ),
    ("a mouse with a battery", DeviceDescription(services: [BluetoothUUID(0x180f), BluetoothUUID(0x1812)]), []),
    (
      "a radar before it is connected", DeviceDescription(name: "RTL51512345", services: [BluetoothUUID(0xfe1f)]),
      ["varia_radar"]
    ),
    ("a watch of the radar's maker", DeviceDescription(name: "fenix 7", services: [BluetoothUUID(0xfe1f)]), []),
    ("a cap", DeviceDescription(name: "TPMS1_0A0B0C", companies: [0x0100]), ["tire_pressure"]),
    (
      "a cap whose name was not heard yet", DeviceDescription(services: [BluetoothUUID(0xfbb0)], companies: [0x0100]),
      ["tire_pressure"]
    ),
    ("a cap of Michelin's", DeviceDescription(companies: [0x0828]), ["tire_pressure"]),
    ("a CORE by its advert", DeviceDescription(name: "CORE 1A2B", companies: [0xf60b]), ["core_body_temperature"]),
    ("a navigator of that company id", DeviceDescription(name: "TomTom", companies: [0x0100]), []),
    (
      "a cap without a company id",
      DeviceDescription(name: "BR", services: [BluetoothUUID(0x27a5)], companies: [0x1b10]), ["tire_pressure"]
    ),
    (
      "a name that begins like a cap's",
      DeviceDescription(name: "BRYTON", services: [BluetoothUUID(0x27a5)], companies: [0x1b10]), []
    ),
    ("nothing known", DeviceDescription(name: "Polar H10"), []),
  ]

  @Test(arguments: devices)
  func devicesAreTakenFor(_ row: (name: String, device: DeviceDescription, plugins: [String])) {
    #expect(recognize(row.device, among: registry).map { $0.info.id } == row.plugins, "\(row.name)")
  }

  @Test(arguments: [
    (
      AdvertPattern(.manufacturer(0x0100), namePrefix: "TPMS"), DeviceDescription(name: "TPMS1_1", companies: [0x0100]),
      true
    ),
    (
      AdvertPattern(.manufacturer(0x0100), namePrefix: "TPMS"), DeviceDescription(name: "Other", companies: [0x0100]),
      false
    ),
    (AdvertPattern(.manufacturer(0x0100)), DeviceDescription(companies: [0x004c]), false),
    (AdvertPattern(.anyManufacturer, namePrefix: "BR"), DeviceDescription(name: "BR", companies: [0x1234]), true),
    (AdvertPattern(.anyManufacturer, namePrefix: "BR"), DeviceDescription(name: "BR"), false),
    (AdvertPattern(.serviceData(BluetoothUUID(0xfff0))), DeviceDescription(serviceData: [BluetoothUUID(0xfff0)]), true),
  ])
  func advertsAreRecognised(_ row: (pattern: AdvertPattern, device: DeviceDescription, fits: Bool)) {
    let info = SensorInfo(id: "x", title: "X", adverts: [row.pattern], kinds: [], silence: .unlimited)
    #expect(info.fits(row.device) == row.fits)
  }
}
