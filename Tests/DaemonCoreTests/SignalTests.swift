// The ride uses the signal strength to choose one of several sensors.

import EventLoop
import JSON
import Radio
import Testing
import Wire

@testable import DaemonCore

@Suite struct SignalTests {
  /// Three equal wheel sensors. The preferred one is lost.
  @Test("when the preferred wheel sensor is lost, the stronger signal is used")
  func strongerSignal() throws {
    let test = try TestDaemon()
    test.radio.offers = [.wheel]
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe"}"#)
    for (number, rssi) in [(1, -70), (2, -50), (3, -92)] {
      try pair(number, rssi: rssi, client, test)
      client.send(
        #"{"id":2,"method":"set","params":{"sensor":"wheel-000\#(number)","key":"circumference_mm","value":2105}}"#)
    }
    client.send(#"{"id":3,"method":"set","params":{"sensor":"wheel-0001","key":"priority","value":1}}"#)
    try test.roll(10..<40)
    #expect(try source(client) == "wheel-0001")
    test.radio.accepts = false
    test.radio.links[0].lose()
    try test.roll(40..<60)
    #expect(try source(client) == "wheel-0002")
  }

  private func source(_ client: TestClient) throws -> String? {
    try client.all("sample").last { $0["sensor"] == "ride" && $0["kind"] == "speed" }?["source"]?.text
  }

  private func pair(
    _ number: Int, rssi: Int, _ client: TestClient, _ test: TestDaemon,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let address = DeviceAddress.standIn(number)
    client.send(#"{"id":4,"method":"pair","params":{"address":"\#(address)"}}"#)
    try test.run(for: .milliseconds(10))
    test.radio.delegate?.radio(
      received: Advert(address: address, name: "Wheel", rssi: rssi, services: [Endpoint.wheel.service]))
    try test.run(for: .milliseconds(200))
    try test.roll(1..<4)
    #expect(test.state("wheel-000\(number)") == .streaming, sourceLocation: sourceLocation)
  }
}
