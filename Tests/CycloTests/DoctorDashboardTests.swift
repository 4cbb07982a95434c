// The checks of the dashboard, from what its server and systemd answer to findings.

import CyclometerClient
import Testing
import Troubleshooting

@testable import cyclo

struct DoctorDashboardTests {
  private func facts(
    _ dashboard: DashboardContact, web: Unit = Unit(), socket: Unit = Unit(),
    network: Unit = Unit(active: "inactive", file: "disabled")
  ) throws -> Facts {
    var facts = try healthy()
    facts.host.units = Units(web: web, webPort: socket, webNetwork: network)
    facts.dashboard = dashboard
    return facts
  }

  /// `ok`, or `error: COMMAND`.
  private func found(_ facts: Facts) -> [String] {
    DashboardChecks(facts: facts).diagnoses.map { diagnosis in
      "\(diagnosis.verdict)" + (diagnosis.command.map { ": \($0)" } ?? "")
    }
  }

  private static let restart =
    "sudo systemctl restart cyclometer-web; journalctl -u cyclometer-web -n 20 --no-pager"
  private static let read = "journalctl -u cyclometer-web -n 20 --no-pager"
  private static let local = DashboardContact.answers(isInNetwork: false, daemon: "connected")

  @Test("without a dashboard nothing is checked")
  func absent() throws {
    #expect(found(try facts(.absent, web: .missing, socket: .missing, network: .missing)).isEmpty)
    #expect(found(try facts(.absent, web: Unit(load: "masked", active: "inactive", file: "masked"))).isEmpty)
    var elsewhere = try facts(.absent, web: Unit(active: "failed"))
    elsewhere.isUsualSocket = false
    #expect(found(elsewhere).isEmpty, "the unit belongs to another daemon")
  }

  @Test("phones reach a dashboard with its socket for the network, and doctor tells why others are not reached")
  func reach() throws {
    #expect(found(try facts(.answers(isInNetwork: true, daemon: "connected"))) == ["ok"])
    let local = try facts(Self.local)
    #expect(found(local) == ["ok"])
    #expect(DashboardChecks(facts: local).diagnoses[0].found.contains("cyclometer-web-lan.socket"))
    #expect(found(try facts(Self.local, network: Unit())) == ["warning: sudo systemctl restart cyclometer-web"])
    #expect(
      found(try facts(Self.local, network: Unit(active: "failed"))) == [
        "warning: sudo ss -ltnp 'sport = :8081'; systemctl status cyclometer-web-lan.socket"
      ])
    #expect(
      found(try facts(Self.local, socket: Unit(active: "failed"))) == [
        "error: sudo ss -ltnp 'sport = :8080'; systemctl status cyclometer-web-http.socket"
      ])
  }

  @Test("a dashboard without the daemon is an error, unless the daemon is at fault")
  func disconnected() throws {
    let contact = DashboardContact.answers(isInNetwork: true, daemon: "permission denied")
    var facts = try facts(contact)
    #expect(found(facts) == ["ok", "error: \(Self.restart)"])
    facts.contact = .absent(path: "/run/cyclometer/control.sock")
    #expect(found(facts) == ["ok"])
  }

  @Test("a dashboard that does not start at boot is a warning")
  func disabled() throws {
    let disabled = Unit(file: "disabled")
    #expect(
      found(try facts(Self.local, web: disabled, socket: disabled)) == [
        "ok", "warning: sudo systemctl enable cyclometer-web",
      ])
    #expect(found(try facts(Self.local, web: disabled)) == ["ok"], "the socket starts it")
  }

  @Test(
    "a dashboard that does not answer gets the command that its units need",
    arguments: [
      (DashboardContact.absent, Unit(active: "inactive"), Unit(), "sudo systemctl enable --now cyclometer-web"),
      (.absent, Unit(active: "failed", exitStatus: "78"), Unit(), read),
      (
        .absent, Unit(active: "inactive"), Unit(active: "failed"),
        "sudo ss -ltnp 'sport = :8080'; systemctl status cyclometer-web-http.socket"
      ),
      (.silent(reason: "it does not answer"), Unit(exitStatus: "78"), Unit(), read),
      (.silent(reason: "it does not answer"), Unit(), Unit(), restart),
      (.notAllowed(path: "/run/cyclometer/web.sock"), Unit(), Unit(), "sudo usermod -aG cyclometer \"$USER\""),
    ])
  func silent(_ contact: DashboardContact, _ web: Unit, _ socket: Unit, command: String) throws {
    let facts = try facts(contact, web: web, socket: socket)
    #expect(DashboardChecks(facts: facts).diagnoses.map(\.command) == [command])
  }

  @Test("a server that answers is asked on web.sock beside the daemon's")
  func asked() throws {
    let script: StandInDaemon.Script = ["status": [[.reply(#"{"lan":true,"daemon":"connected"}"#)]]]
    let server = try StandInDaemon(script, socket: "web.sock", greetings: [WebTests.hello])
    defer { server.stop() }
    let endpoint = Endpoint(controlSocket: server.controlSocket)
    #expect(DashboardContact.ask(endpoint) == .answers(isInNetwork: true, daemon: "connected"))
    #expect(DashboardContact.ask(Endpoint(controlSocket: "/nonexistent/control.sock")) == .absent)
  }
}
