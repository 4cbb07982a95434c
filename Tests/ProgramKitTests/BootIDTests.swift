// Where the id of this boot comes from.

import Foundation
import JSON
import Linux
import Testing

@testable import ProgramKit

struct BootIDTests {
  private static let digits = "0123456789abcdef0123456789ABCDEF"
  private static let fromKernel = Array("fedcba98-7654-3210-fedc-ba9876543210\n".utf8)

  @Test("the service manager's boot id comes before the kernel's, and dashes do not count")
  func sources() {
    let both = BootID.read(variable: Self.digits, file: Self.fromKernel)
    #expect(both.map(hexText) == Self.digits.lowercased())
    for variable in [nil, "", "%b", String(Self.digits.dropLast()), Self.digits + "0"] {
      let found = BootID.read(variable: variable, file: Self.fromKernel)
      #expect(found.map(hexText) == "fedcba9876543210fedcba9876543210", "\(variable ?? "none")")
    }
    #expect(BootID.read(variable: "01234567-89ab-cdef-0123-456789abcdef", file: [])?.count == 16)
    #expect(BootID.read(variable: nil, file: []) == nil)
    #expect(BootID.read(variable: nil, file: Array("no boot id".utf8)) == nil)
  }

  @Test("this computer has a boot id, and it stays the same")
  func current() {
    #expect(BootID.current?.count == 16)
    #expect(BootID.current == BootID.current)
  }

  @Test("a unit that hides the kernel's files passes the boot id to a program that needs it")
  func units() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let units = tests.deletingLastPathComponent().path + "/systemd/"
    for name in ["guide/cyclometer-guide", "mqtt/cyclometer-mqtt", "recorder/cyclometer-recorder"] {
      let unit = String(decoding: try Files.read(units + name + ".service"), as: UTF8.self)
      #expect(unit.split(separator: "\n").contains("Environment=CYCLOMETER_BOOT_ID=%b"), "\(name)")
    }
  }
}
