// What every registered plugin must satisfy, and which plugins a device gets.

import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct RegistryTests {
  @Test("every plugin has a complete description")
  func descriptions() {
    let infos = builtInPlugins.plugins.map { $0.info }
    #expect(Set(infos.map(\.id)).count == infos.count, "ids are unique")
    for info in infos {
      #expect(info.id.allSatisfy { $0 == "_" || $0.isLowercase || $0.isNumber } && !info.id.isEmpty)
      #expect(!info.title.isEmpty)
      #expect(!info.services.isEmpty || !info.adverts.isEmpty, "\(info.id) can be recognized")
      #expect(info.isCompanion || !info.kinds.isEmpty, "\(info.id) has kinds")
      for use in info.characteristics { #expect(info.services.contains(use.service), "\(info.id)") }
      if let stale = info.silence.staleAfter, let reconnect = info.silence.reconnectAfter {
        #expect(stale < reconnect, "\(info.id)")
      }
    }
  }

  @Test("every characteristic of a device with all services is requested")
  func allServices() {
    var host = PluginHost(builtInPlugins.plugins, settings: SensorSettings())
    var batch = Batch()
    host.connected(at: MonotonicTime(seconds: 1), into: &batch)
    let hasRoom = !batch.overflowed
    #expect(hasRoom)
    let uses = builtInPlugins.plugins.flatMap { $0.info.characteristics }
    let asked = batch.actions.count
    #expect(asked >= uses.count { $0.isSubscribed } + uses.count { $0.isRead })
  }

  @Test("a plugin refuses commands that it does not list")
  func unlistedCommand() {
    for known in builtInPlugins.plugins {
      var plugin = known.make(SensorSettings())
      var batch = Batch()
      var refusal: CommandError?
      do throws(CommandError) {
        try plugin.command(Command(name: "sing", value: 1), at: MonotonicTime(seconds: 1), into: &batch)
      } catch {
        refusal = error
      }
      let writes = batch.actions.count
      #expect(refusal == .notSupported && writes == 0 && plugin.deadline == nil, "\(known.info.id)")
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
      "a trainer with every service",
      DeviceDescription(services: [BluetoothUUID(0x1826), BluetoothUUID(0x1818), BluetoothUUID(0x1816)]),
      ["cycling_speed_cadence", "cycling_power", "fitness_machine"]
    ),
    ("a mouse with a battery", DeviceDescription(services: [BluetoothUUID(0x180f), BluetoothUUID(0x1812)]), []),
    (
      "a radar before it is connected", DeviceDescription(name: "RTL51512345", services: [BluetoothUUID(0xfe1f)]),
      ["varia_radar"]
    ),
    ("a watch from the radar's maker", DeviceDescription(name: "fenix 7", services: [BluetoothUUID(0xfe1f)]), []),
    ("a cap", DeviceDescription(name: "TPMS1_0A0B0C", companies: [0x0100]), ["tire_pressure"]),
    (
      "a cap whose name is not known yet", DeviceDescription(services: [BluetoothUUID(0xfbb0)], companies: [0x0100]),
      ["tire_pressure"]
    ),
    ("a Michelin cap", DeviceDescription(companies: [0x0828]), ["tire_pressure"]),
    ("a CORE by its advert", DeviceDescription(name: "CORE 1A2B", companies: [0xf60b]), ["core_body_temperature"]),
    ("a navigator with the company id of a cap", DeviceDescription(name: "TomTom", companies: [0x0100]), []),
    (
      "a cap without a company id",
      DeviceDescription(name: "BR", services: [BluetoothUUID(0x27a5)], companies: [0x1b10]), ["tire_pressure"]
    ),
    (
      "a name that begins like a cap's",
      DeviceDescription(name: "BRYTON", services: [BluetoothUUID(0x27a5)], companies: [0x1b10]), []
    ),
    ("a device with only a name", DeviceDescription(name: "Polar H10"), []),
  ]

  @Test("a device gets the plugins that match it", arguments: devices)
  func recognizedPlugins(_ row: (name: String, device: DeviceDescription, plugins: [String])) {
    #expect(builtInPlugins.recognize(row.device).map { $0.info.id } == row.plugins, "\(row.name)")
  }

  @Test(
    "an advert pattern matches by company, service data and name",
    arguments: [
      (
        AdvertPattern(.manufacturer(0x0100), namePrefix: "TPMS"),
        DeviceDescription(name: "TPMS1_1", companies: [0x0100]),
        true
      ),
      (
        AdvertPattern(.manufacturer(0x0100), namePrefix: "TPMS"), DeviceDescription(name: "Other", companies: [0x0100]),
        false
      ),
      (AdvertPattern(.manufacturer(0x0100)), DeviceDescription(companies: [0x004c]), false),
      (AdvertPattern(.anyManufacturer, namePrefix: "BR"), DeviceDescription(name: "BR", companies: [0x1234]), true),
      (AdvertPattern(.anyManufacturer, namePrefix: "BR"), DeviceDescription(name: "BR"), false),
      (
        AdvertPattern(.serviceData(BluetoothUUID(0xfff0))), DeviceDescription(serviceData: [BluetoothUUID(0xfff0)]),
        true
      ),
    ])
  func advertPatterns(_ row: (pattern: AdvertPattern, device: DeviceDescription, fits: Bool)) {
    let info = SensorInfo(id: "x", title: "X", adverts: [row.pattern], kinds: [], silence: .unlimited)
    #expect(info.fits(row.device) == row.fits)
  }
}
