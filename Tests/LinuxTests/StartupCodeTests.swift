// Releasing code: which mappings are code, and that the program still runs afterwards.

import Testing

@testable import Linux

@Suite struct StartupCodeTests {
  @Test(
    "only code mapped from files counts",
    arguments: [
      ("55d0c0000000-55d0c0400000 r-xp 00001000 fe:01 123 /usr/bin/x", true),
      ("55d0c0400000-55d0c0500000 r--p 00401000 fe:01 123 /usr/bin/x", false),
      ("55d0c0500000-55d0c0600000 rw-p 00501000 fe:01 123 /usr/bin/x", false),
      ("7ffd0f5fe000-7ffd0f600000 r-xp 00000000 00:00 0 [vdso]", false),
      ("7ffd0f5fe000-7ffd0f600000 r-xp 00000000 00:00 0", false),
      ("nonsense r-xp 0 0 0 /x", false),
      ("", false),
    ])
  func onlyCodeMappedFromFiles(line: String, isTaken: Bool) {
    #expect((CodeMapping(Array(line.utf8)[...]) != nil) == isTaken)
  }

  @Test("the program continues afterwards")
  func programContinuesAfterwards() throws {
    StartupCode.release()
    #expect(try Files.read("/proc/self/maps").isEmpty == false)
  }
}
