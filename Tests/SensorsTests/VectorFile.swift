// The vectors: frames from specifications and real devices, with their meaning, checked with
// independent decoders. To add a protocol, put its file into Vectors and its name into
// `VectorFile.all`.

import CaptureFormat
import Foundation
import JSON
import SensorKit
import Testing
import Vocabulary

struct VectorFile: CustomTestStringConvertible, Sendable {
  let name: String
  /// The service of its characteristics, if some of them belong to several services.
  var service: UInt32?
  /// The device that sends its adverts.
  var advertiser: VectorAdvertiser?
  var testDescription: String { name }

  static let all = [
    VectorFile(name: "heart-rate"),
    VectorFile(name: "cycling-speed-cadence", service: 0x1816),
    VectorFile(name: "cycling-power", service: 0x1818),
    VectorFile(name: "running-speed-cadence", service: 0x1814),
    VectorFile(name: "pulse-oximeter"),
    VectorFile(name: "environmental-sensing"),
    VectorFile(name: "core-body-temperature"),
    VectorFile(name: "moxy"),
    VectorFile(name: "polar-pmd"),
    VectorFile(name: "fitness-machine-indoor-bike"),
    VectorFile(name: "fitness-machine-treadmill"),
    VectorFile(name: "fitness-machine-rower"),
    VectorFile(name: "fitness-machine-control"),
    VectorFile(name: "varia-radar"),
    VectorFile(name: "magene-radar"),
    VectorFile(name: "tpms-0x0100", advertiser: VectorAdvertiser(name: "TPMS1_334FE2", company: 0x0100)),
    VectorFile(name: "tpms-br", advertiser: VectorAdvertiser(name: "BR", company: nil)),
    VectorFile(name: "tpms-0x00ac", advertiser: VectorAdvertiser(company: 0x00ac, address: "14:13:1F:11:11:11")),
    VectorFile(name: "battery"),
    VectorFile(name: "device-information"),
  ]

  /// Members of `expect` that stay inside the plugin or are published in another form.
  static let inside: Set<String> = [
    "warnings", "frame_type", "compressed", "more_data", "complete", "wheel_status", "crank_status", "distance_status",
    "wheel_event_ticks", "crank_event_ticks", "total_distance_m",
    "repeated",
  ]

  /// Members that have another name in samples.
  static let aliases = ["heart_rate_bpm": "bpm"]

  /// A machine's own total has another name, because `distance_m` is the distance of the session.
  func sampleName(of member: String) -> String {
    if name.hasPrefix("fitness-machine"), member == "distance_m" { return "total_distance_m" }
    return Self.aliases[member] ?? member
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")

  func load() throws -> JSONValue {
    try JSONValue.parse(Array(try Data(contentsOf: Self.root.appending(path: "\(name).json"))))
  }

  /// The frames of the file as named runs. A case or a malformed frame is a run of one frame.
  func runs() throws -> [VectorRun] {
    let file = try load()
    let characteristic = file["characteristic"]?.text ?? ""
    let single = (file["cases"]?.items ?? []) + (file["malformed"]?.items ?? [])
    return single.map { row in
      let expect = row["expect"] ?? ["error": row["error"] ?? .null]
      let frame = VectorFrame(row, at: 0, characteristic, RadarVectors.expectation(expect), advertiser)
      return VectorRun(
        name: "\(name): \(row["name"]?.text ?? "")", service: service, frames: frame.closed() ?? [frame], file: self)
    }
      + (file["sequences"]?.items ?? []).map { row in
        let frames = zip(row["sequence"]?.items ?? [], row["expect"]?.items ?? []).map { frame, expect in
          let own = row["characteristic"]?.text ?? characteristic
          return VectorFrame(
            frame, at: frame["t_ms"]?.number ?? 0, own, RadarVectors.expectation(expect), advertiser)
        }
        return VectorRun(
          name: "\(name): \(row["name"]?.text ?? "")", service: service,
          circumferenceM: row["params"]?["wheel_circumference_m"]?.number, frames: frames, file: self)
      }
  }
}

struct VectorRun: CustomTestStringConvertible, Sendable {
  let name: String
  var service: UInt32?
  var circumferenceM: Double?
  let frames: [VectorFrame]
  let file: VectorFile
  var testDescription: String { name }

  var device: CaptureDevice {
    CaptureDevice(
      id: "dev", address: file.advertiser?.address, name: file.advertiser?.name,
      services: service.map { [BluetoothUUID($0)] } ?? [])
  }
}

struct VectorAdvertiser: Sendable {
  var name = ""
  /// Nil if the maker puts data in place of it: the first two bytes of the frame.
  let company: UInt16?
  /// Set for caps whose frames contain their address.
  var address: String?
}

struct VectorFrame: Sendable {
  let milliseconds: Double
  /// A UUID, or `advertisement`.
  let characteristic: String
  let hex: String
  let expect: JSONValue
  let advertiser: VectorAdvertiser?

  init(
    _ row: JSONValue, at milliseconds: Double, _ characteristic: String, _ expect: JSONValue,
    _ advertiser: VectorAdvertiser?
  ) {
    self.init(milliseconds, row["characteristic"]?.text ?? characteristic, row["hex"]?.text ?? "", expect, advertiser)
  }

  private init(
    _ milliseconds: Double, _ characteristic: String, _ hex: String, _ expect: JSONValue,
    _ advertiser: VectorAdvertiser? = nil
  ) {
    self.milliseconds = milliseconds
    self.characteristic = characteristic
    self.hex = hex
    self.expect = expect
    self.advertiser = advertiser
  }

  /// A piece of a fitness machine's record publishes nothing by itself, so the shortest possible
  /// piece is added to close the record. The fields of that piece, which are zero, are not
  /// compared. Nil for other frames.
  func closed() -> [VectorFrame]? {
    guard expect["more_data"] == true else { return nil }
    let closing: Set<String> = ["speed_mps", "stroke_rate_spm", "stroke_count"]
    let rest = (expect.members ?? []).filter { !closing.contains($0.name) }
    let shortest = characteristic.hasPrefix("00002ad1") ? "0000000000" : "00000000"
    return [
      VectorFrame(milliseconds, characteristic, hex, ["complete": false]),
      VectorFrame(milliseconds + 100, characteristic, shortest, .object(rest)),
    ]
  }

  private var allBytes: [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
  }

  /// The bytes that a plugin receives.
  var bytes: [UInt8] {
    guard let advertiser, advertiser.company == nil else { return allBytes }
    return Array(allBytes.dropFirst(2))
  }

  /// The company id, or the data in its place.
  var company: UInt16? {
    guard let advertiser else { return nil }
    return advertiser.company ?? allBytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }

  /// The source of the frame. Nil if no plugin knows the characteristic.
  func source(among plugins: [Plugin]) -> PacketSource? {
    let sender = Sender(address: advertiser?.address ?? "A0:9E:1A:00:00:01", name: advertiser?.name ?? "x")
    if let company { return PacketSource(.manufacturer(company), sender: sender) }
    guard let uuid = BluetoothUUID(characteristic),
      let service = PluginHost(plugins, settings: SensorSettings()).service(of: uuid, among: [])
    else { return nil }
    return PacketSource(.notified(service: service, characteristic: uuid), sender: sender)
  }

  /// The frame as an event of a capture.
  var event: CaptureEvent? {
    if let company { return .advert(company, bytes) }
    return BluetoothUUID(characteristic).map { .value(.notify, $0, bytes) }
  }

  /// The expected refusal, if any. A Polar answer has an `error` among other members.
  var error: JSONValue? { expect.members?.count == 1 ? expect["error"] : nil }

  var isGood: Bool { error == nil }
}
