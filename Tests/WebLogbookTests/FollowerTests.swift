// What pages learn about the recorder by themselves.

import EventLoop
import JSON
import Testing
import Time

@testable import WebLogbook

@Suite struct FollowerTests {
  private final class Notes {
    var states: [JSONValue] = []
    var records: [JSONValue] = []
  }

  private func follow(_ world: LogbookWorld, _ notes: Notes) -> RecorderFollower {
    RecorderFollower(
      world.logbookSocket, in: world.loop,
      onState: { state in notes.states.append((try? JSONValue.parse(state.line)) ?? .null) },
      onRecord: { line in notes.records.append((try? JSONValue.parse(line)) ?? .null) })
  }

  @Test("the state comes at once, and changes are passed on")
  func changes() throws {
    let world = try LogbookWorld()
    let notes = Notes()
    let follower = follow(world, notes)
    try world.settle()
    #expect(notes.states.count == 1)
    #expect(notes.states[0]["class"] == "recorder" && notes.states[0]["present"] == true)
    #expect(notes.states[0]["storage"] == "ok" && notes.states[0]["activities"] == 0)
    let id = try world.add()
    try world.settle()
    #expect(notes.records.map { $0["change"]?.text } == ["added"] && notes.records[0]["id"]?.integer == id)
    #expect(notes.states.last?["activities"] == 1)
    #expect(follower.state?.absence == nil)
  }

  @Test("a recorder that ends and comes back is noticed, and reported once each")
  func restart() throws {
    let world = try LogbookWorld(withRecorder: false)
    let notes = Notes()
    let follower = follow(world, notes)
    try world.run(for: .seconds(20))
    #expect(notes.states.count == 1 && notes.states[0]["present"] == false)
    #expect(follower.state?.absence?.isEmpty == false)
    try world.startRecorder()
    try world.run(for: .seconds(5))
    #expect(notes.states.count == 2 && notes.states[1]["present"] == true)
    try world.stopRecorder()
    try world.run(for: .seconds(20))
    #expect(notes.states.count == 3 && notes.states[2]["present"] == false)
    try world.startRecorder()
    try world.run(for: .seconds(5))
    #expect(notes.states.count == 4 && notes.states[3]["present"] == true)
  }
}
