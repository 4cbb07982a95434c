// What is left of names in an anonymous capture.

import JSON
import Sensors
import Testing
import Wire

@testable import cyclo

struct AnonymousNameTests {
  @Test(
    "anonymous names do not identify anyone",
    arguments: [
      // By its maker, known from its facts, its plugin or the table of quirks.
      ("Polar H10 12345678", "polar-h10-12345678-aaf2", "heart_rate", "Polar H10 00000000"),
      ("TPMS1_03AAF2", "tpms1-03aaf2-aaf2", "tire_pressure", "TPMS1_000002"),
      ("TPMS1_03aaf2", "tpms1-03aaf2-aaf2", "tire_pressure", "TPMS1_000002"),
      ("BR", "br-aaf2", "tire_pressure", "BR"),
      ("RTL64894", "rtl64894-aaf2", "varia_radar", "RTL00000"),
      ("ASSIOMA12345L", "assioma12345l-aaf2", "cycling_power", "ASSIOMA000000"),
      // With what may be a person's name at the end.
      ("Polar Anna", "polar-anna-aaf2", "heart_rate", "Polar 0000"),
      ("Polar AAF2X", "polar-aaf2x-aaf2", "heart_rate", "Polar 00000"),
      ("Polar AA:F2", "polar-aa-f2-aaf2", "heart_rate", "Polar 00:00"),
      ("Polar 80EACA03AAF2", "polar-80eaca03aaf2-aaf2", "heart_rate", "Polar 80EACA000002"),
      ("Polar F2AA03", "polar-f2aa03-aaf2", "heart_rate", "Polar 000000"),
      // No known maker.
      ("Anna", "anna-aaf2", "heart_rate", "it-1"), ("80:EA:CA:03:AA:F2", "heart-rate-aaf2", "heart_rate", "it-1"),
      ("BRAnna", "branna-aaf2", "tire_pressure", "it-1"), ("心拍", "heart-rate-aaf2", "heart_rate", "it-1"),
      // Its user's: what is needed to know it is still in its id.
      ("Anna's strap", "polar-h10-12345678-aaf2", "heart_rate", "it-1"), ("Front", "br-aaf2", "tire_pressure", "BR"),
      ("Front", "tpms1-03aaf2-aaf2", "tire_pressure", "TPMS"), ("Polar", "strap-aaf2", "heart_rate", "it-1"),
      ("", "heart-rate-aaf2", "heart_rate", ""),
    ])
  func anonymousNamesDoNotIdentify(name: String, id: String, plugin: String, left: String) throws {
    let sensor = try #require(
      SensorRecord([
        "id": .string(id), "name": .string(name), "plugins": [.string(plugin)],
        "facts": ["manufacturer": "Polar Electro Oy", "model": "H10"],
      ]))
    let anonymous = AnonymousName(
      sensor: sensor, address: ["80", "EA", "CA", "03", "AA", "F2"], standIn: ["80", "EA", "CA", "00", "00", "02"],
      plugins: builtInPlugins)
    #expect(anonymous.text(otherwise: "it-1") == left)
  }
}
