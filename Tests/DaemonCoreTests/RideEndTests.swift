// The end of a ride, its sport, and what a subscriber that comes later learns.

import EventLoop
import JSON
import TestSupport
import Testing

@testable import DaemonCore

@Suite struct RideEndTests {
  @Test(
    "ride end closes the ride: its last sample says so, also in a snapshot, and nothing counts until the bike has stood"
  )
  func rideEnd() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 20, turns: 4)
    bike.client.send(#"{"id":7,"method":"ride","params":{"action":"end"}}"#)
    try bike.test.run(for: .milliseconds(10))
    #expect(try bike.client.reply(7)?["result"] == ["changed": true])
    let rides = try bike.client.all("sample").filter { $0["kind"] == "ride" }
    let last = try #require(rides.last)
    #expect(last["ended"] == true && last["ride_id"] == rides.first?["ride_id"] && last["sport"] == "cycling")
    try bike.roll(seconds: 10, turns: 4)
    #expect(try bike.client.all("sample").filter { $0["kind"] == "ride" }.count == rides.count)
    let late = try bike.test.connect("metrics.sock")
    late.send(#"{"id":1,"method":"subscribe","params":{"kinds":["ride"]}}"#)
    try bike.test.run(for: .milliseconds(10))
    #expect(try late.all("sample").last?["ended"] == true)
    #expect(try late.all("snapshot_ended").count == 1)
    try bike.roll(seconds: 10, turns: 0)
    try bike.roll(seconds: 5, turns: 4)
    let next = try #require(try bike.client.all("sample").last { $0["kind"] == "ride" })
    #expect(next["ended"] == nil && next["ride_id"] != last["ride_id"])
  }

  @Test("ride new takes a sport, and refuses others and other actions with one")
  func sports() throws {
    let bike = try RollingBike()
    try bike.pair()
    for (id, params) in [
      (7, #"{"action":"new","sport":"rowing"}"#), (8, #"{"action":"new","sport":"chess"}"#),
      (9, #"{"action":"lap","sport":"rowing"}"#),
    ] { bike.client.send(#"{"id":\#(id),"method":"ride","params":\#(params)}"#) }
    try bike.roll(seconds: 3, turns: 4)
    #expect(try bike.client.reply(7)?["result"] == ["changed": true])
    #expect(try bike.client.reply(8)?["code"] == "bad_request" && bike.client.reply(9)?["code"] == "bad_request")
    #expect(try bike.client.all("sample").last { $0["kind"] == "ride" }?["sport"] == "rowing")
  }

  @Test(
    "a snapshot has the state of every sensor before the samples, so that a lost sensor is not taken for a live one")
  func snapshotStates() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 3, turns: 4)
    bike.test.radio.accepts = false
    bike.test.radio.link?.lose()
    try bike.test.run(for: .seconds(1))
    let late = try bike.test.connect("metrics.sock")
    late.send(#"{"id":1,"method":"subscribe","params":{"kinds":["speed"]}}"#)
    try bike.test.run(for: .milliseconds(10))
    let state = try #require(try late.all("state").first)
    #expect(state["sensor"] == "wheel-0001" && state["state"] != "streaming")
    #expect(try !late.all("sample").isEmpty)
  }
}
