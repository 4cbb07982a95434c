// Lines for the journal, received by a socket that replaces journald's.

import CLinux
import Foundation
import Linux
import TestSupport
import Testing

@Suite(.serialized)
struct JournalTests {
  private let folder: TemporaryFolder
  private let listener: Int32

  init() throws {
    folder = try TemporaryFolder()
    listener = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #expect(unsafe cyclometer_bind(listener, folder.file("journal")) == 0)
    var status = stat()
    #expect(unsafe fstat(2, &status) == 0)
    unsafe setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
  }

  private func received() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(listener, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  @Test("a line is sent with its fields")
  func lineSentWithFields() throws {
    defer { close(listener) }
    let journal = try #require(Journal(of: "cyclometerd", socket: folder.file("journal")))
    #expect(journal.write("it streams", priority: 6, [("CYCLOMETER_SENSOR", "strap")]))
    #expect(
      received() == "MESSAGE=it streams\nPRIORITY=6\nSYSLOG_IDENTIFIER=cyclometerd\nCYCLOMETER_SENSOR=strap\n")
  }

  @Test("a line feed in a message or a value begins no field")
  func lineFeeds() throws {
    defer { close(listener) }
    let journal = try #require(Journal(of: "cyclometerd", socket: folder.file("journal")))
    #expect(journal.write("a\nPRIORITY=0", priority: 6, [("CYCLOMETER_SENSOR", "strap\n_UID=0\r\n")]))
    #expect(
      received()
        == "MESSAGE=a PRIORITY=0\nPRIORITY=6\nSYSLOG_IDENTIFIER=cyclometerd\nCYCLOMETER_SENSOR=strap _UID=0\r \n")
  }

  @Test("the journal is used only if standard error leads to it")
  func journalUsedOnlyIfStandard() {
    defer { close(listener) }
    for stream in ["1:2", "", "x"] {
      unsafe setenv("JOURNAL_STREAM", stream, 1)
      #expect(Journal(of: "cyclometerd", socket: folder.file("journal")) == nil)
    }
    unsafe unsetenv("JOURNAL_STREAM")
    #expect(Journal(of: "cyclometerd", socket: folder.file("journal")) == nil)
    #expect(received() == nil)
  }

  @Test("a blocked journal causes no delay and is detected")
  func blockedJournalCausesNoDelay() throws {
    defer { close(listener) }
    let journal = try #require(Journal(of: "cyclometerd", socket: folder.file("journal")))
    var taken = 0
    while taken < 100_000, journal.write("line \(taken)", priority: 6, []) { taken += 1 }
    #expect((1..<100_000).contains(taken), "the kernel queues only a few datagrams")
    #expect(received()?.hasPrefix("MESSAGE=line 0\n") == true)
    #expect(journal.write("later", priority: 6, []))
    let away = try #require(Journal(of: "cyclometerd", socket: folder.file("nowhere")))
    #expect(!away.write("without a journal", priority: 3, []))
  }
}
