// The transition table of sessions is complete, and docs/sessions.md matches it.

import Foundation
import Testing
import Wire

@testable import Connections
@testable import generate_pages

@Suite struct ConnectionTableTests {
  @Test("no state has two transitions for one event")
  func uniqueTransitions() {
    var seen: Set<String> = []
    for row in ConnectionTable.transitions { #expect(seen.insert("\(row.from) \(row.event)").inserted) }
  }

  /// A ticket without a holder would keep the queue busy, and so stop discovery, for ever.
  @Test("a search that ends leaves the queue, unless its turn has come")
  func endedSearchLeavesQueue() throws {
    // The search goes on after `stuck`.
    for row in ConnectionTable.transitions where row.from == .searching && row.event != .stuck && row.event != .turn {
      let place = try #require(row.actions.firstIndex(of: .publish))
      #expect(row.actions[..<place].contains(.leaveQueue), "\(row.event)")
    }
  }

  @Test("every state can be reached and left")
  func reachableStates() {
    var reached: Set<SensorState> = [ConnectionTable.initial]
    for _ in SensorState.allCases {
      for row in ConnectionTable.transitions where reached.contains(row.from) { reached.insert(row.to) }
    }
    #expect(reached == Set(SensorState.allCases))
    for state in SensorState.allCases {
      #expect(ConnectionTable.transitions.contains { $0.from == state && $0.to != state }, "\(state)")
    }
  }

  /// Every state leads back to streaming. Only `disabled` and `error` need the user for that.
  @Test("every state leads back to streaming", arguments: SensorState.allCases)
  func everyStateLeadsBackToStreaming(state: SensorState) {
    var reached: Set<SensorState> = [state]
    let byUser: Set<SensorState> = [.disabled, .error]
    for _ in SensorState.allCases {
      for row in ConnectionTable.transitions where reached.contains(row.from) {
        let isUsers = row.event == .started || row.event == .disabled || row.event == .givenUp
        if !isUsers || byUser.contains(state) { reached.insert(row.to) }
      }
    }
    #expect(reached.contains(.streaming))
  }

  @Test("the user can disable a sensor in every state", arguments: SensorState.allCases)
  func disablable(state: SensorState) {
    #expect(ConnectionTable.transition(from: state, on: .disabled)?.to == .disabled)
  }

  @Test("every transition has a reason that fits its new state")
  func reasons() {
    for row in ConnectionTable.transitions {
      switch row.to {
      case .streaming: #expect(row.reason == .none)
      case .stale: #expect(row.reason == .silent || row.reason == .program)
      case .disabled: #expect(row.reason == .request)
      case .error: #expect(row.reason == .failure)
      case .searching, .connecting: break
      }
    }
  }

  @Test("docs/sessions.md is up to date")
  func page() throws {
    let text = SessionPage.text
    let page = try String(contentsOf: SessionPage.page, encoding: .utf8)
    let pairs = zip(text.split(separator: "\n"), page.split(separator: "\n"))
    let difference = pairs.first { $0 != $1 }.map { "should be \"\($0)\", is \"\($1)\"" } ?? "another length"
    #expect(text == page, "docs/sessions.md: \(difference) -> run scripts/accept-pages")
  }
}
