// Inspecting a device through the control socket, in virtual time: what is sent, how it ends, and
// that nothing stays.

import JSON
import Radio
import TestSupport
import Testing
import Time
import Vocabulary
import Wire

@testable import DaemonCore

@Suite struct InspectionTests {
  private func askToInspect(_ test: TestDaemon, _ more: String = "") throws -> TestClient {
    let client = try test.connect()
    client.send(#"{"id":7,"method":"inspect","params":{"address":"\#(DeviceAddress.strap)"\#(more)}}"#)
    try test.run(for: .milliseconds(1))
    return client
  }

  /// Found and connected.
  private func inspect(_ test: TestDaemon, _ more: String = "") throws -> TestClient {
    let client = try askToInspect(test, more)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    return client
  }

  private func isOver(_ test: TestDaemon) -> Bool {
    test.daemon.pairing.inspection == nil && !test.radio.hasOpenLink && !test.radio.isSearching
      && test.daemon.sensors.roster.sensors.isEmpty && test.radio.links.allSatisfy(\.leavesNoTrace)
  }

  private func operations(_ client: TestClient) throws -> [String] {
    try client.all("raw").compactMap { $0["op"]?.text }
  }

  @Test("an inspection lists the characteristics, sends what arrives, and ends after its time")
  func wholeInspection() throws {
    let test = try TestDaemon()
    let client = try inspect(test)
    let result = try #require(try client.reply(7)?["result"])
    #expect(result["id"] == "polar-h10-0001" && result["name"] == "Polar H10")
    #expect(result["address"]?.text == DeviceAddress.strap.text && result["services"]?.texts == ["180d"])
    #expect(
      result["characteristics"]?.items == [
        ["service": "180d", "characteristic": "2a37", "properties": ["notify"]],
        ["service": "180d", "characteristic": "2a38", "properties": ["read"]],
      ])
    #expect(result["more"] == nil)
    #expect(test.radio.link?.subscriptions == [.measurement] && test.radio.link?.reads == [.location])
    test.radio.link?.notify([0x00, 0x48])
    test.radio.link?.notify([0x01], indicated: true)
    try test.run(for: .milliseconds(29_700))
    let early = try client.all("inspect_ended")
    #expect(early.isEmpty)
    try test.run(for: .milliseconds(300))
    #expect(try operations(client) == ["connected", "read", "notify", "indicate"])
    let notified = try client.all("raw")[2]
    #expect(notified["sensor"] == "polar-h10-0001" && notified["source"] == "2a37" && notified["hex"] == "0048")
    let ended = try client.all("inspect_ended")
    #expect(ended == [["class": "inspect_ended"]])
    #expect(isOver(test))
    #expect(try client.all("sensor").isEmpty && client.all("state").isEmpty, "it is not a sensor of this daemon")
  }

  @Test("the time counts from the connection, and the next request can follow")
  func shortInspection() throws {
    let test = try TestDaemon()
    let client = try askToInspect(test, #","seconds":2"#)
    try test.run(for: .seconds(20))
    test.radio.advertise()
    try test.run(for: .seconds(1))
    let early = try client.all("inspect_ended")
    #expect(early.isEmpty)
    try test.run(for: .seconds(2))
    #expect(try client.all("inspect_ended").count == 1)
    client.send(#"{"id":8,"method":"scan","params":{"seconds":1}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(8)?["class"] == "reply")
  }

  @Test("adverts are sent until the device is connected")
  func adverts() throws {
    let test = try TestDaemon()
    let client = try askToInspect(test)
    var advert = Advert(address: .strap, name: "Lamp", rssi: -50, services: [])
    advert.manufacturerData = [Advert.ManufacturerData(company: 0x006b, value: [0x3b])]
    advert.serviceData = [Advert.ServiceData(service: BluetoothUUID(0xfff0), value: [0x07])]
    test.radio.delegate?.radio(received: advert)
    try test.run(for: .milliseconds(200))
    #expect(try operations(client) == ["advert", "service", "connected", "read"])
    test.radio.delegate?.radio(received: advert)
    try test.run(for: .milliseconds(1))
    #expect(try operations(client).count == 4)
  }

  @Test("a device that another program holds is inspected without an advert")
  func connectedElsewhere() throws {
    let test = try TestDaemon()
    var held = Advert(address: .strap, name: "Held", rssi: nil, services: [BluetoothUUID(0x180d)])
    held.isConnected = true
    test.radio.held = [held]
    let client = try askToInspect(test)
    try test.run(for: .milliseconds(200))
    #expect(try client.reply(7)?["result"]?["name"] == "Held")
  }

  // MARK: Limits

  @Test("at most 256 characteristics are listed, and the others are counted")
  func manyCharacteristics() throws {
    let test = try TestDaemon()
    let service = try #require(BluetoothUUID("c0de0000-0000-4000-8000-000000000001"))
    test.radio.offers = try (1000..<1300).map {
      Endpoint(service: service, characteristic: try #require(BluetoothUUID("c0de\($0)-0000-4000-8000-000000000001")))
    }
    test.radio.properties = Dictionary(
      uniqueKeysWithValues: test.radio.offers.map {
        ($0, [.read, .write, .writeWithoutResponse, .notify, .indicate] as CharacteristicProperties)
      })
    let client = try inspect(test)
    let result = try client.reply(7)?["result"]
    #expect(result?["characteristics"]?.items?.count == 256 && result?["more"] == 44)
    try test.run(for: .seconds(20))
    #expect(test.radio.link?.subscriptions.count == 256 && test.radio.link?.reads.count == 256)
  }

  @Test("a request that is never answered does not hold up the others")
  func unansweredRequest() throws {
    let test = try TestDaemon()
    test.radio.unanswered = [.measurement]
    let client = try inspect(test)
    #expect(try operations(client) == ["connected"])
    try test.run(for: LinkRequests.timeLimit)
    #expect(try operations(client) == ["connected", "read"])
  }

  @Test("what the device refuses is left out")
  func refusedRequests() throws {
    let test = try TestDaemon()
    test.radio.readable = [:]
    test.radio.subscribing = .failure(LinkFailure(.needsUser, .bondLost, "it requires a bond", needsBond: true))
    let client = try inspect(test, #","seconds":1"#)
    try test.run(for: .seconds(1))
    #expect(try operations(client) == ["connected"])
    #expect(try client.all("inspect_ended") == [["class": "inspect_ended"]])
  }

  // MARK: Errors

  @Test("inspecting a device that never advertises times out after 45 s")
  func neverFound() throws {
    let test = try TestDaemon()
    let client = try askToInspect(test)
    #expect(test.radio.isSearching)
    try test.run(for: .milliseconds(44_900))
    let early = try client.reply(7)
    #expect(early == nil)
    try test.run(for: .milliseconds(200))
    #expect(try client.reply(7)?["code"] == "timeout")
    #expect(isOver(test))
  }

  @Test("a device that cannot be connected is reported with the reason")
  func cannotConnect() throws {
    let test = try TestDaemon()
    test.radio.outcome = { _ in .fails(LinkFailure(.connectingFailed, "le-connection-abort"), after: .seconds(1)) }
    let client = try askToInspect(test)
    test.radio.advertise()
    try test.run(for: .seconds(46))
    let refusal = try client.reply(7)
    #expect(refusal?["code"] == "pairing_failed")
    #expect(refusal?["message"]?.text?.hasPrefix("found it, but could not connect: ") == true)
    #expect(isOver(test))
  }

  @Test("a failure that needs the user ends it at once")
  func needsUser() throws {
    let test = try TestDaemon()
    test.radio.outcome = { _ in .fails(LinkFailure(.connectingFailed, "refused", needsUser: true), after: .seconds(1)) }
    let client = try askToInspect(test)
    test.radio.advertise()
    try test.run(for: .seconds(2))
    #expect(try client.reply(7)?["code"] == "pairing_failed")
    #expect(isOver(test))
  }

  @Test("an inspection fails without an adapter: at once, or after its time if the adapter was removed")
  func noAdapter() throws {
    let test = try TestDaemon()
    try test.run(for: .seconds(3))
    let client = try askToInspect(test)
    test.radio.change(to: .adapterAbsent)
    try test.run(for: .seconds(46))
    #expect(try client.reply(7)?["code"] == "adapter_unavailable")
    #expect(isOver(test))
    client.send(#"{"id":8,"method":"inspect","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(8)?["code"] == "adapter_unavailable")
  }

  @Test("a device that goes away leaves what it has sent, and the reason")
  func leftInTheMiddle() throws {
    let test = try TestDaemon()
    let client = try inspect(test)
    test.radio.link?.notify([0x00, 0x48])
    test.radio.link?.lose()
    try test.run(for: .milliseconds(1))
    #expect(try operations(client) == ["connected", "read", "notify", "disconnected"])
    #expect(try client.all("inspect_ended") == [["class": "inspect_ended", "reason": "link_lost"]])
    #expect(isOver(test))
    test.radio.advertise()
    try test.run(for: .seconds(60))
    #expect(test.radio.links.count == 1, "it is not connected again")
  }

  @Test("a paired sensor is refused, with the verb that records it")
  func paired() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let client = try askToInspect(test)
    let refusal = try client.reply(7)
    #expect(refusal?["code"] == "already_paired")
    #expect(refusal?["message"]?.text?.contains("'cyclo capture --sensor polar-h10-0001'") == true)
    #expect(test.state() == .streaming)
  }

  @Test("one inspection runs at a time, and no device is inspected and paired at once")
  func busy() throws {
    let test = try TestDaemon()
    let first = try askToInspect(test)
    let second = try askToInspect(test)
    #expect(try second.reply(7)?["code"] == "busy")
    second.send(#"{"id":8,"method":"inspect","params":{"address":"\#(DeviceAddress.other)"}}"#)
    second.send(#"{"id":9,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    second.send(#"{"id":10,"method":"import","params":{"version":1}}"#)
    first.send(#"{"id":8,"method":"scan"}"#)
    try test.run(for: .milliseconds(1))
    for id in 8...10 { #expect(try second.reply(id)?["code"] == "busy", "\(id)") }
    #expect(try first.reply(8)?["code"] == "busy")
    let pairing = try test.connect()
    pairing.send(#"{"id":1,"method":"pair","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try test.run(for: .milliseconds(1))
    second.send(#"{"id":11,"method":"inspect","params":{"address":"\#(DeviceAddress.other)"}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try second.reply(11)?["code"] == "busy")
  }

  @Test("wrong parameters are refused")
  func wrongParameters() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    let all = [#"{}"#, #"{"address":"hello"}"#, #"{"address":"C0:FF:EE:00:00:02","seconds":601}"#]
    for (id, parameters) in all.enumerated() {
      client.send(#"{"id":\#(id),"method":"inspect","params":\#(parameters)}"#)
      try test.run(for: .milliseconds(1))
      #expect(try client.reply(id)?["code"] == "bad_request")
    }
    let reader = try test.connect("metrics.sock")
    reader.send(#"{"id":1,"method":"inspect","params":{"address":"C0:FF:EE:00:00:02"}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try reader.reply(1)?["code"] == "denied")
  }

  // MARK: Ends

  @Test("cancel ends the search with an error, and the recording like its time")
  func cancelled() throws {
    let test = try TestDaemon()
    let client = try askToInspect(test)
    client.send(#"{"id":8,"method":"cancel"}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(7)?["code"] == "cancelled" && client.reply(8)?["class"] == "reply")
    #expect(isOver(test))

    let other = try inspect(test)
    other.send(#"{"id":8,"method":"cancel"}"#)
    try test.run(for: .milliseconds(1))
    #expect(try other.all("inspect_ended") == [["class": "inspect_ended"]])
    #expect(try other.reply(8)?["class"] == "reply" && other.all("error").isEmpty)
    #expect(isOver(test))
  }

  @Test("an inspection ends with its client, and with the daemon")
  func clientLeaves() throws {
    let test = try TestDaemon()
    var client: TestClient? = try inspect(test)
    #expect(client != nil && test.radio.hasOpenLink)
    client = nil
    try test.run(for: .milliseconds(1))
    #expect(isOver(test))

    client = try inspect(test)
    #expect(client != nil && test.radio.hasOpenLink)
    test.daemon.stop()
    #expect(!test.radio.hasOpenLink)
  }
}
