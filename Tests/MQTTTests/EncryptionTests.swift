// TLS with an authority that openssl makes for each test, and every way in which it fails.

import EventLoop
import Foundation
import Linux
import MQTT
import TestSupport
import Testing
import Time

/// One at a time: libmosquitto prepares OpenSSL in the first encrypted connection of a process, and
/// does not expect two at once. So all tests with encrypted connections are here.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct EncryptionTests {
  let authority: ThrowawayAuthority
  let loop: EventLoop

  init() throws {
    authority = try ThrowawayAuthority()
    loop = try EventLoop()
  }

  func broker(_ names: [String] = ["DNS:localhost"], requiresClientCertificate: Bool = false) throws -> RealBroker {
    var configuration = RealBroker.Configuration()
    configuration.certificate = try authority.issue("broker", names)
    configuration.requiresClientCertificate = requiresClientCertificate
    return try RealBroker(configuration)
  }

  func settings(_ broker: RealBroker, host: String = "localhost") -> BrokerSettings {
    var settings = broker.settings(host: host, isEncrypted: true)
    settings.authorities = authority.file
    return settings
  }

  func firstFailure(_ settings: BrokerSettings) throws -> BrokerFailure {
    let client = TestClient(settings, in: loop)
    try client.wait { !client.failures.isEmpty || client.connection.isConnected }
    return try #require(client.failures.first, "it is connected")
  }

  @Test("messages pass an encrypted connection, small ones and large ones")
  func connects() throws {
    let broker = try broker()
    let client = try TestClient.connected(settings(broker), in: loop)
    try client.subscribe(to: "#")
    let sizes = [0, 1, 16_384, 16_385, 300_000]
    for size in sizes { try client.publish([UInt8](repeating: 3, count: size), to: "t") }
    try client.wait { client.messages.count == sizes.count && client.acknowledged.count == sizes.count }
    #expect(client.messages.map(\.payload.count) == sizes)
    #expect(client.failures == [])
  }

  @Test("a broker that restarts is found again")
  func reconnects() throws {
    let broker = try broker()
    let client = try TestClient.connected(settings(broker), in: loop)
    for round in 2...4 {
      broker.kill()
      try client.wait { !client.connection.isConnected }
      try broker.start()
      try client.wait { client.sessions.count == round }
    }
  }

  @Test("a certificate for the address is enough for a connection to the address")
  func acceptsAddress() throws {
    let broker = try broker(["IP:127.0.0.1"])
    let client = try TestClient.connected(settings(broker, host: "127.0.0.1"), in: loop)
    #expect(client.sessions.count == 1)
  }

  @Test("a certificate for another name is refused")
  func refusesWrongName() throws {
    let broker = try broker(["DNS:broker.example"])
    let failure = try firstFailure(settings(broker))
    #expect(failure == .wrongHostName("localhost"))
    #expect(
      "\(failure)" == "the broker's certificate is not for 'localhost'; use a name from the certificate in Address=")
    #expect(failure.needsUser)
  }

  @Test("a certificate of another authority is refused")
  func refusesWrongAuthority() throws {
    let broker = try broker()
    var settings = settings(broker)
    let other = try ThrowawayAuthority()
    settings.authorities = other.file
    let failure = try firstFailure(settings)
    guard case .untrustedCertificate(let words) = failure else { throw failure }
    // The words of OpenSSL, which differ with the reason.
    #expect(words.contains("certificate"))
    #expect(failure.needsUser)
    settings.authorities = "/etc/ssl/certs"
    guard case .untrustedCertificate = try firstFailure(settings) else { throw failure }
  }

  @Test("a broker that wants a client's certificate gets it, and refuses without it")
  func presentsCertificate() throws {
    let broker = try broker(requiresClientCertificate: true)
    var settings = settings(broker)
    try expectRefusedCertificate(settings)
    let own = try authority.issue("receiver")
    (settings.certificate, settings.key) = (own.certificate, own.key)
    let client = try TestClient.connected(settings, in: loop)
    #expect(client.sessions.count == 1)
    let other = try ThrowawayAuthority()
    let foreign = try other.issue("receiver")
    (settings.certificate, settings.key) = (foreign.certificate, foreign.key)
    try expectRefusedCertificate(settings)
  }

  /// A broker that closes the connection before it has read everything destroys its own alert. The
  /// next attempt may get it.
  private func expectRefusedCertificate(_ settings: BrokerSettings) throws {
    let client = TestClient(settings, in: loop)
    try client.wait { client.failures.contains { $0 != .closed } || client.connection.isConnected }
    guard case .refusedCertificate? = client.failures.last else { throw client.failures.last ?? .invalidSettings }
  }

  @Test("a broker without TLS is recognized, and so is one with it")
  func recognizesEncryption() throws {
    let plain = try RealBroker()
    let encrypted = try firstFailure(settings(plain))
    // Mosquitto closes the connection, others answer with bytes that are not TLS.
    #expect([.notEncrypted, .closed].contains(encrypted), "\(encrypted)")
    let server = try StandInBroker(in: loop)
    server.answer = { _ in Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) }
    #expect(try firstFailure(server.encryptedSettings) == .notEncrypted)
    let broker = try broker()
    let failure = try firstFailure(broker.settings())
    #expect(failure == .closedBeforeAnswer)
    #expect("\(failure)".contains("use mqtts:// in Address="))
  }

  @Test("a server that accepts and never begins TLS is given up")
  func reportsSilentServer() throws {
    let server = try StandInBroker(in: loop)
    var settings = server.encryptedSettings
    settings.answerLimit = .milliseconds(300)
    let client = TestClient(settings, in: loop)
    try client.wait { client.failures.count == 2 }
    #expect(client.failures == [.noAnswer(.milliseconds(300)), .noAnswer(.milliseconds(300))])
  }

  @Test("a connection that is cut during the handshake has failed")
  func noticesCut() throws {
    for bytes in [[], [0x16], [0x16, 3, 3, 0, 122, 2, 0, 0]] as [[UInt8]] {
      let server = try StandInBroker(in: loop)
      server.answer = { _ in bytes }
      let client = TestClient(server.encryptedSettings, in: loop)
      try client.wait { server.connectionCount == 1 }
      _ = try loop.run(until: loop.now + .milliseconds(50)) { false }
      server.closeAll()
      try client.wait { !client.failures.isEmpty }
      client.connection.stop()
    }
  }

  @Test("a file that cannot be read is named", arguments: 0..<3)
  func namesFile(_ place: Int) throws {
    let broker = try broker()
    let own = try authority.issue("receiver")
    var settings = settings(broker)
    (settings.certificate, settings.key) = (own.certificate, own.key)
    let missing = "/nonexistent/file.pem"
    switch place {
    case 0: settings.authorities = missing
    case 1: settings.certificate = missing
    default: settings.key = missing
    }
    let failure = try firstFailure(settings)
    guard case .unreadableFile(let error) = failure else { throw failure }
    #expect(error.subject == missing && error.isMissingFile)
    #expect("\(failure)".hasPrefix("cannot read \(missing): No such file or directory"))
  }

  @Test("a file that is not a certificate, and a key of another certificate, are reported")
  func reportsContents() throws {
    let (broker, folder) = (try broker(), try TemporaryFolder())
    var settings = settings(broker)
    try Files.replace(folder.file("text"), with: Array("not a certificate".utf8), mode: 0o600)
    settings.authorities = folder.file("text")
    guard case .encryption(let words) = try firstFailure(settings) else { throw BrokerFailure.closed }
    #expect(words.contains("CA certificates"))
    settings.authorities = authority.file
    settings.certificate = try authority.issue("one").certificate
    #expect(try firstFailure(settings) == .invalidSettings)
    #expect("\(BrokerFailure.invalidSettings)".contains("both set or both missing"))
    settings.key = try authority.issue("other").key
    guard case .encryption(let reason) = try firstFailure(settings) else { throw BrokerFailure.closed }
    #expect(reason.contains("key"))
    #expect(BrokerFailure.encryption(reason).needsUser)
  }

  @Test("a server that speaks nothing newer than TLS 1.1 is refused")
  func refusesOldVersions() throws {
    let certificate = try authority.issue("broker", ["DNS:localhost"])
    let folder = try TemporaryFolder()
    let output = folder.file("output")
    let server = try KeptProgram(
      [
        "/usr/bin/openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.certificate, "-key",
        certificate.key, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0",
      ], folder: folder.path, output: output)
    defer { server.end(SIGTERM) }
    // It prints ACCEPT with its port.
    var port: UInt16?
    let limit = MonotonicTime.now + .seconds(120)
    while port == nil, server.isRunning, MonotonicTime.now < limit {
      try Waiting.until(.now + .milliseconds(10))
      let lines = (try String(contentsOfFile: output, encoding: .utf8)).split(separator: "\n")
      port = lines.first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last.flatMap { UInt16($0) }
    }
    let text = try String(contentsOfFile: output, encoding: .utf8)
    let address = BrokerAddress(host: "localhost", port: try #require(port, "\(text)"), isEncrypted: true)
    var settings = BrokerSettings(address, clientID: "a")
    settings.authorities = authority.file
    guard case .encryption(let words) = try firstFailure(settings) else { throw BrokerFailure.closed }
    #expect(words.contains("protocol version"), "\(words)")
  }
}

extension StandInBroker {
  fileprivate var encryptedSettings: BrokerSettings {
    BrokerSettings(BrokerAddress(host: "127.0.0.1", port: port, isEncrypted: true), clientID: "test")
  }
}
