// Random bytes for secrets, from the kernel.

internal import CLinux

public enum RandomBytes {
  /// getrandom(2) blocks only while the kernel has no randomness yet, early at boot.
  public static func make(_ count: Int) -> [UInt8] {
    precondition(0...256 ~= count, "longer requests can be interrupted halfway")
    var bytes = [UInt8](repeating: 0, count: count)
    // The kernel writes at most `count` bytes of the array.
    let made = try? systemCall("getrandom") { unsafe getrandom(&bytes, count, 0) }
    // A program that cannot make secrets must not go on with zeros.
    precondition(made == count, "getrandom failed")
    return bytes
  }
}
