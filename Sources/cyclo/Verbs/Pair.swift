// `pair`: adds a sensor, and says what it said first, or why it said nothing and what to try.

import CommandTable
import CyclometerClient
import Linux
import Wire

/// The daemon answers within 45 s; a little more is for the way.
private let patience = Duration.seconds(55)

func pair(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .control)
  let address = session.invocation.words[0].uppercased()
  var parameters = [JSON.Member("address", .string(address))]
  if let name = session.invocation.text(.name) { parameters.append(JSON.Member("name", .string(name))) }
  if let role = session.invocation.text(.role) { parameters.append(JSON.Member("role", .string(role))) }
  let request = try explained { () throws(ClientError) in try connection.send("pair", .object(parameters)) }
  let result = try wait(for: request, connection, address, session)
  guard let added = Sensor(result) else { throw Failure(.failed, "the daemon's answer names no sensor") }
  let samples = try session.lastSamples(connection, ["sensors": [.string(added.id)]])
  if session.isJSON {
    session.output.line(result.encoded)
    for sample in samples { session.output.line(sample.encoded) }
    return
  }
  let lines = description(of: added, samples, style: session.style)
  for line in lines { session.output.line(line) }
  session.output.note("Paired. It is connected whenever it is near; 'cyclo watch' shows what it says.")
}

private func wait(
  for request: Int, _ connection: Connection, _ address: String, _ session: Session
) throws(Failure) -> JSON {
  let begin = BootTime.now
  let end = begin + patience
  defer { session.output.eraseProgress() }
  while BootTime.now < end {
    let elapsed = (BootTime.now - begin).wholeNanoseconds / 1_000_000_000
    session.output.progress("Pairing \(address), waiting for its first value: \(elapsed) s of 45 s")
    let nextLook = session.output.showsProgress ? min(end, .now + .seconds(1)) : end
    do throws(ClientError) {
      let answer = try connection.answer(to: request, until: nextLook) { record throws(ClientError) in
        if record.recordClass == "prompt" { throw .refused(code: "pairing_failed", message: question(record)) }
      }
      if let answer { return answer }
    } catch {
      throw failure(error, address)
    }
  }
  throw failure(.timeout, address)
}

private func question(_ record: ReceivedRecord) -> String {
  "the sensor asks for a \(printable(record["ask"]?.text ?? "secret")), which this release cannot answer"
}

private func failure(_ error: ClientError, _ address: String) -> Failure {
  let plain = Failure(error)
  switch plain.status {
  case .timeout:
    let message = if case .refused = error { error.description } else { "\(address) gave no value within 45 s" }
    return Failure(
      .timeout, message,
      advice: [
        "Is it awake? Spin the crank or the wheel; wear the strap, moistened",
        "Is it free? A sensor that a phone or a watch holds is silent to others",
        "Is it near? 'cyclo scan' shows how well it is heard",
      ])
  case .pairingFailed:
    return Failure(
      .pairingFailed, plain.message,
      advice: ["Take the sensor off other devices, wake it, and try again", "Then: bluetoothctl remove \(address)"])
  default: return plain
  }
}
