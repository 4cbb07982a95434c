// The id of this boot of the computer. Programs compare it with what an earlier run saved, to find
// out whether times since boot still count.

import JSON
import Linux

public enum BootID {
  /// 16 bytes. Nil if neither the service manager nor the kernel provides it. Our units set the
  /// variable, because their `ProcSubset=pid` hides the kernel's file.
  public static var current: [UInt8]? {
    read(
      variable: ProcessEnvironment.variable("CYCLOMETER_BOOT_ID"),
      file: (try? Files.read("/proc/sys/kernel/random/boot_id", atMost: 64)) ?? [])
  }

  /// systemd writes 32 hex digits, and the kernel has dashes between them.
  static func read(variable: String?, file: [UInt8]) -> [UInt8]? {
    parse(variable ?? "") ?? parse(String(decoding: file, as: UTF8.self))
  }

  private static func parse(_ text: String) -> [UInt8]? {
    let digits = text.filter { $0 != "-" && !$0.isWhitespace }
    return digits.utf8.count == 32 ? bytes(ofHex: digits) : nil
  }
}
