// The system's real gpsd on a private port, with pseudo-terminals as receivers. It never outlives
// its object.

import CLinux
import Foundation
import Glibc
import Linux
import TestSupport
import Testing
import Time

/// A receiver on a pseudo-terminal. gpsd reads what is written to it.
final class PretendedReceiver {
  let path: String
  private let near: Int32
  private let far: Int32

  struct Unavailable: Error {}

  /// TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h unlock the far end and return its number. The
  /// C library declares `posix_openpt` only for programs that request X/Open.
  private static let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  init() throws {
    near = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var (zero, index): (Int32, Int32) = (0, 0)
    guard near >= 0, unsafe ioctl(near, Self.unlock, &zero) == 0, unsafe ioctl(near, Self.number, &index) == 0 else {
      throw Unavailable()
    }
    path = "/dev/pts/\(index)"
    far = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    // Without echo and line editing, so that nothing written is read back.
    var settings = termios()
    guard far >= 0, unsafe tcgetattr(far, &settings) == 0 else { throw Unavailable() }
    unsafe cfmakeraw(&settings)
    _ = unsafe tcsetattr(far, TCSANOW, &settings)
    // gpsd drops its privileges at startup, and opens receivers that are plugged in later without
    // them.
    _ = unsafe chmod(path, 0o666)
  }

  deinit {
    close(near)
    close(far)
  }

  func write(_ sentences: [String]) {
    var bytes: [UInt8] = []
    for sentence in sentences {
      let sum = sentence.utf8.reduce(0, ^)
      bytes += Array("$\(sentence)*\(String(format: "%02X", sum))\r\n".utf8)
    }
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(near, $0.baseAddress, $0.count) }
  }

  /// One second of a ride north at 12 knots, as a receiver with nine satellites reports it.
  func writeFix(second: Int, dilution: Double = 0.9) {
    let moment = String(format: "12%02d%02d.00", second / 60 % 60, second % 60)
    let place = String(format: "47%07.4f,N,00832.0000,E", 22 + 0.0033 * Double(second))
    write([
      "GPRMC,\(moment),A,\(place),012.00,000.0,211126,,,A",
      "GPGGA,\(moment),\(place),1,09,\(dilution),420.0,M,47.0,M,,",
      "GPGSA,A,3,04,05,09,12,24,25,29,31,32,,,,1.8,\(dilution),1.5",
      "GPGSV,3,1,09,04,40,083,46,05,17,308,41,09,07,344,39,12,22,228,45",
      "GPGSV,3,2,09,24,40,083,46,25,17,308,41,29,07,344,39,31,22,228,45", "GPGSV,3,3,09,32,40,083,46",
    ])
  }

  /// The same second without satellites.
  func writeNoFix(second: Int) {
    let moment = String(format: "12%02d%02d.00", second / 60 % 60, second % 60)
    write([
      "GPRMC,\(moment),V,,,,,,,211126,,,N", "GPGGA,\(moment),,,,,0,00,99.9,,M,,M,,",
      "GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9",
    ])
  }
}

final class RealGPSD {
  let port: UInt16
  private let folder: TemporaryFolder
  private var keeper: Process?
  private var lifeline: FileDescriptor?

  static let path = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  init(port: UInt16? = nil) throws {
    folder = try TemporaryFolder()
    // gpsd opens its control socket before it drops its privileges, and answers on it afterwards.
    self.port = try port ?? Self.freePort()
  }

  deinit {
    kill()
  }

  func start(_ receivers: [PretendedReceiver] = [], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let keeper = Process()
    keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
    keeper.arguments =
      [
        "-c", Self.script, "sh", try #require(Self.path, sourceLocation: sourceLocation), "-N", "-n", "-b", "-S",
        "\(port)", "-F", control,
      ]
      + receivers.map(\.path)
    lifeline = try PacketPair().keepNear { far in
      // Blocking, for the shell's `read`.
      let input = dup(far.number)
      _ = fcntl(input, F_SETFL, 0)
      keeper.standardInput = FileHandle(fileDescriptor: input, closeOnDealloc: true)
    }
    keeper.standardOutput = FileHandle.nullDevice
    keeper.standardError = FileHandle.nullDevice
    try withSignalsUnblocked { try keeper.run() }
    keeper.standardInput = nil
    self.keeper = keeper
  }

  /// Ends gpsd without a cleanup, like a crash.
  func kill() {
    guard let keeper else { return }
    lifeline = nil
    keeper.waitUntilExit()
    self.keeper = nil
    try? Files.remove(control)
  }

  /// The shell waits for gpsd and for the end of its own input. The input ends when gpsd is to be
  /// killed or this process ends.
  private static let script = """
    exec 3<&0
    "$@" </dev/null 3<&- &
    daemon=$!
    (read end <&3; kill -KILL $daemon) &
    exec 3<&-
    wait $daemon
    kill -KILL $!
    """

  private var control: String { folder.file("control") }

  /// Reports a receiver that was plugged in or unplugged, like udev. Returns gpsd's answer.
  @discardableResult
  func plug(_ receiver: PretendedReceiver, isIn: Bool) throws -> String {
    let socket = try UnixSocket.connect(to: control)
    _ = try socket.write(Array("\(isIn ? "+" : "-")\(receiver.path)\r\n".utf8).span)
    var answer = [UInt8](repeating: 0, count: 100)
    guard try Waiting.untilReadable(socket.number, deadline: .now + .seconds(5)),
      case .done(let count) = try socket.read(into: &answer)
    else { return "" }
    return String(decoding: answer[..<count], as: UTF8.self)
  }

  /// A port without a listener, chosen by the kernel.
  private static func freePort() throws -> UInt16 {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(number, pointer, length) == 0 ? unsafe getsockname(number, pointer, &length) : -1
      }
    }
    guard result == 0 else { throw PretendedReceiver.Unavailable() }
    return UInt16(bigEndian: address.sin_port)
  }
}
