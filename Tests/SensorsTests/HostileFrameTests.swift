// Plugins must survive every prefix of every frame of vectors and captures, every value of its
// first bytes, and noise. An error has an offset within the frame and leaves nothing in the batch,
// and numbers are finite.

import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct HostileFrameTests {
  static let frames = VectorTests.runs.flatMap(\.frames)
  /// Each frame once, because sequences repeat frames.
  static let differentFrames = frames.reduce(into: [String: VectorFrame]()) { $0[$1.characteristic + $1.hex] = $1 }
    .values
  static let parts = 4

  /// Checks each plugin and service that has the characteristic.
  static func check(
    _ bytes: [UInt8], _ characteristic: String, _ note: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let uuid = BluetoothUUID(characteristic) else { return }
    let sender = Sender(address: "A0:9E:1A:00:00:01", name: "x")
    var batch = Batch()
    for plugin in builtInPlugins.plugins {
      for use in plugin.info.characteristics where use.characteristic == uuid {
        let source = PacketSource(.notified(service: use.service, characteristic: uuid), sender: sender)
        check(bytes, plugin, source, note, &batch, sourceLocation: sourceLocation)
      }
    }
  }

  /// Checks the bytes as an advert or a characteristic, like the frame.
  static func check(
    _ bytes: [UInt8], as frame: VectorFrame, _ note: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard frame.company != nil, let source = frame.source(among: builtInPlugins.plugins) else {
      return check(bytes, frame.characteristic, note, sourceLocation: sourceLocation)
    }
    var batch = Batch()
    for plugin in builtInPlugins.plugins where plugin.info.knows(source) {
      check(bytes, plugin, source, note, &batch, sourceLocation: sourceLocation)
    }
  }

  /// Checks the bytes with each source of the captured frame.
  static func check(
    _ bytes: [UInt8], as frame: CaptureFrame, _ note: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var batch = Batch()
    for source in frame.sources {
      for plugin in builtInPlugins.plugins where plugin.info.knows(source) {
        check(bytes, plugin, source, note, &batch, sourceLocation: sourceLocation)
      }
    }
  }

  /// Decodes with a new host, and checks what must hold for every frame.
  static func check(
    _ bytes: [UInt8], _ plugin: Plugin, _ source: PacketSource, _ note: String, _ batch: inout Batch,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var host = PluginHost([plugin], settings: SensorSettings(circumferenceMM: 2096))
    batch.removeAll()
    do throws(DecodeError) {
      try host.decode(bytes.span, from: source, at: MonotonicTime(seconds: 1), into: &batch)
      for index in batch.entries.flatMap(\.fields) {
        if case .number(let number) = batch.field(index).value, !number.isFinite {
          Issue.record("\(note): \(bytes)", sourceLocation: sourceLocation)
        }
      }
    } catch {
      let isWhole = batch.entries.isEmpty && batch.actions.isEmpty
      if !(0...bytes.count ~= error.offset && isWhole && bytes.isEmpty == (error.reason == .empty)) {
        Issue.record("\(error) of \(note): \(bytes)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("plugins survive every prefix of every valid frame")
  func prefixes() {
    for frame in Self.differentFrames where frame.isGood {
      for length in 0..<frame.bytes.count {
        Self.check(Array(frame.bytes.prefix(length)), as: frame, "prefix of \(frame.hex)")
      }
    }
  }

  @Test("plugins survive every prefix of every captured frame")
  func capturedPrefixes() {
    for frame in CaptureFrame.all {
      for length in 0...frame.bytes.count {
        Self.check(Array(frame.bytes.prefix(length)), as: frame, "prefix of \(frame)")
      }
    }
  }

  @Test("plugins survive every value of a captured frame's first bytes")
  func capturedFirstBytes() {
    for frame in CaptureFrame.oneOfEachLength {
      for place in 0..<min(2, frame.bytes.count) {
        for value in UInt8.min...UInt8.max {
          var bytes = frame.bytes
          bytes[place] = value
          Self.check(bytes, as: frame, "byte \(place) of \(frame)")
        }
      }
    }
  }

  /// In parts that run in parallel, because it takes longest.
  @Test("plugins survive every value of a frame's first bytes", arguments: 0..<Self.parts)
  func firstBytes(part: Int) {
    for (index, frame) in Self.differentFrames.enumerated() where index % Self.parts == part && !frame.bytes.isEmpty {
      for place in 0..<min(2, frame.bytes.count) {
        for value in UInt8.min...UInt8.max {
          var bytes = frame.bytes
          bytes[place] = value
          Self.check(bytes, as: frame, "byte \(place) of \(frame.hex)")
        }
      }
    }
  }

  @Test("plugins survive noise", arguments: [21, 22, 23, 24] as [UInt64])
  func noise(seed: UInt64) {
    var random = SplitMix(state: seed)
    let characteristics = Set(builtInPlugins.plugins.flatMap { $0.info.characteristics.map(\.characteristic.text) })
      .sorted()
    for characteristic in characteristics {
      for _ in 0..<300 {
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        Self.check(bytes, characteristic, "seed \(seed), \(characteristic)")
      }
    }
  }
}

extension HostileFrameTests {
  /// Some caps send data in place of the company id, so that any id is possible.
  @Test("plugins survive noise in adverts", arguments: [25, 26] as [UInt64])
  func noiseInAdverts(seed: UInt64) {
    var random = SplitMix(state: seed)
    var batch = Batch()
    for plugin in builtInPlugins.plugins {
      for pattern in plugin.info.adverts {
        for _ in 0..<300 {
          let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
          }
          let origin: PacketSource.Origin =
            switch pattern.carrier {
            case .manufacturer(let company): .manufacturer(company)
            case .anyManufacturer: .manufacturer(.random(in: 0...0xffff, using: &random))
            case .serviceData(let uuid): .serviceData(uuid)
            }
          let source = PacketSource(origin, sender: Sender(address: "", name: pattern.name))
          Self.check(bytes, plugin, source, "seed \(seed), \(pattern)", &batch)
        }
      }
    }
  }
}

/// Reproducible random numbers (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
