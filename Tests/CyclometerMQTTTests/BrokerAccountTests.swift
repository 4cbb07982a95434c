// The bridge's account at the broker, and the receiver's name.

import Fleet
import Linux
import MQTT
import ProgramKit
import TestSupport
import Testing

@testable import BridgeCore

@Suite struct BrokerAccountTests {
  private let folder: TemporaryFolder
  private let topics: FleetTopics

  init() throws {
    folder = try TemporaryFolder()
    topics = FleetTopics(group: try #require(FleetName("home")), receiver: try #require(FleetName("bike-7")))
  }

  private func configuration(password: String, mode: UInt32 = 0o640) throws -> BridgeConfiguration {
    let path = folder.file("password")
    try Files.replace(path, with: Array(password.utf8), mode: mode)
    var settings = BridgeConfiguration()
    for (key, value) in [("Address", "mqtts://broker.example"), ("User", "bike-7"), ("PasswordFile", path)] {
      #expect(settings.set(section: "Broker", key: key, value: value) == nil)
    }
    return settings
  }

  private func problem(_ configuration: BridgeConfiguration) -> String? {
    do throws(AccountProblem) {
      _ = try BrokerAccount.settings(configuration, topics)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("the first line of the file is the password, and the name is the client id")
  func password() throws {
    let settings = try BrokerAccount.settings(try configuration(password: "s3cret word\nrest\n"), topics)
    #expect(settings?.password == "s3cret word" && settings?.user == "bike-7")
    #expect(settings?.clientID == "cyclometer-bike-7" && settings?.will?.topic == "cyclometer/v1/home/bike-7/status")
    #expect(settings?.will?.isRetained == true)
  }

  @Test("a password that every user can read is not used")
  func exposed() throws {
    let problem = try #require(problem(try configuration(password: "secret\n", mode: 0o644)))
    #expect(problem.contains("every user can read") && problem.contains("chmod 640"), "\(problem)")
  }

  @Test("an empty, missing or huge password is reported with its file")
  func unusable() throws {
    var empty = try configuration(password: "\nsecret\n")
    #expect(problem(empty)?.contains("is not a password") == true)
    empty.passwordFile = folder.file("nowhere")
    #expect(problem(empty)?.contains("nowhere: ") == true, "\(problem(empty) ?? "")")
    let huge = try configuration(password: String(repeating: "a", count: 5000))
    #expect(problem(huge)?.contains(folder.file("password")) == true)
  }

  @Test("without an address there is no account")
  func unset() throws { #expect(try BrokerAccount.settings(BridgeConfiguration(), topics) == nil) }

  @Test("a name is made once from the id of the computer, and kept when the id changes")
  func name() throws {
    let log = Log { _ in }
    let first = ReceiverName.kept(in: folder.path, log: log, machineID: "0123456789abcdef0123456789abcdef")
    #expect(first.text.hasPrefix("rx-") && first.text.utf8.count == 9)
    #expect(ReceiverName.kept(in: folder.path, log: log, machineID: "f" + String(repeating: "0", count: 31)) == first)
    let other = try TemporaryFolder()
    let second = ReceiverName.kept(in: other.path, log: log, machineID: "f" + String(repeating: "0", count: 31))
    #expect(second != first)
  }

  @Test("a folder that takes no file gives a name all the same, and the log says so")
  func unwritable() {
    var lines: [String] = []
    let log = Log { lines.append($0) }
    let name = ReceiverName.kept(in: folder.file("missing"), log: log, machineID: "0123456789abcdef0123456789abcdef")
    #expect(name.text.hasPrefix("rx-"))
    #expect(lines.contains { $0.contains("cannot be saved") }, "\(lines)")
  }
}

@Suite struct WaitingMessagesTests {
  @Test("only the newest retained message of a topic waits, in its first place")
  func retained() {
    var messages = WaitingMessages()
    messages.put([1], "a", isRetained: true)
    messages.put([2], "b", isRetained: true)
    messages.put([3], "a", isRetained: true)
    #expect(messages.count == 2 && messages.first?.payload == [3])
    messages.removeFirst()
    messages.put([4], "a", isRetained: true)
    #expect(messages.count == 2 && messages.first?.payload == [2], "what has left is not changed")
    messages.removeFirst()
    messages.removeFirst()
    #expect(messages.isEmpty && messages.first == nil)
  }

  @Test("of too many events the oldest is dropped, and no retained message")
  func events() {
    var messages = WaitingMessages()
    messages.put([0], "state", isRetained: true)
    for number in 1...5 { messages.append([UInt8(number)].span, Array("event".utf8).span, most: 3) }
    var left: [[UInt8]] = []
    while let first = messages.first {
      left.append(first.payload)
      messages.removeFirst()
    }
    #expect(left == [[0], [3], [4], [5]])
  }
}
