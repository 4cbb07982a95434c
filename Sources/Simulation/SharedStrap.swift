// A strap that several simulated daemons share: as a real one, it has one link, and advertises to all
// while it has none. Each daemon has a folder with the file `strength`, which says how strong it
// receives the strap, in dBm; without a number it receives nothing. The folders are next to each other.
// The file `strap` next to them is locked by the daemon that has the link.

import Linux
import Radio

/// The strap as one daemon receives it.
final class SharedAir {
  private let strengthFile: String
  private let lockFile: String
  private var link: FileDescriptorBox?

  init(folder: String) {
    strengthFile = folder + "/strength"
    lockFile = Files.parent(of: folder) + "/strap"
  }

  /// Nil out of range.
  var strength: Int? {
    guard let content = try? Files.read(strengthFile, atMost: 64) else { return nil }
    return Int(String(decoding: content.filter { $0 > 0x20 }, as: UTF8.self))
  }

  var isLinked: Bool { link != nil }

  /// Whether no daemon has the link.
  var isFree: Bool { link == nil && lock() != nil }

  /// Returns whether this daemon has the link now.
  func connect() -> Bool {
    if link == nil, strength != nil { link = lock() }
    return link != nil
  }

  func disconnect() { link = nil }

  private func lock() -> FileDescriptorBox? {
    do throws(SystemError) {
      guard let file = try Files.lock(lockFile) else { return nil }
      return FileDescriptorBox(file)
    } catch {
      return nil
    }
  }
}

/// One strap, paired. Its heart rate is the same for all daemons that began at the same time.
public struct SharedStrapScene: Scene {
  public let devices: [SceneDevice]
  public let leadIn = Duration.zero
  public let folder: String?
  private var pending: [SceneEvent]
  private var second = 0
  private var rider = SimulatedRider(seed: 1, resting: 62, hardest: 184)

  public init(folder: String) {
    self.folder = folder
    devices = [.strap("strap", "C0:FF:EE:00:00:01", "Strap")].compactMap(\.self)
    pending = [SceneEvent(at: .zero, device: 0, .holds(.bodyLocation, [1]))] + SceneEvent.identity(of: 0, charge: 87)
    pending.reverse()
  }

  public mutating func next() -> SceneEvent? {
    if pending.isEmpty {
      second += 1
      let packet = rider.packet(atSecond: second)
      let event = SceneEvent.Action.notifies(.heartRate, packet, indicated: false)
      pending.append(SceneEvent(at: .seconds(second), device: 0, event))
    }
    return pending.popLast()
  }
}
