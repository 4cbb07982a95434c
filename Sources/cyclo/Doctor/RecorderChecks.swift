// Checks of the recorder: does it record, is there space, was the last ride interrupted, are rides
// exported. Without a recorder there are none.

import CyclometerClient
import LogbookWire
import Troubleshooting
import Wire

/// What the recorder answered.
enum LogbookContact: ServiceContact {
  case answers(LogbookStatusReply)
  case absent
  case notAllowed(path: String)
  case silent(reason: String)

  static func ask(_ endpoint: Endpoint) -> LogbookContact {
    do throws(ClientError) {
      let connection = try LogbookConnection(to: endpoint.logbookSocket)
      return .answers(try connection.request(LogbookStatusRequest()).content)
    } catch {
      return .failed(error)
    }
  }
}

struct RecorderChecks {
  let facts: Facts

  var diagnoses: [Diagnosis] {
    switch facts.logbook {
    case .answers(let reply):
      [
        recorderDiagnosis(reply), disabled, storageDiagnosis(reply), damageDiagnosis(reply),
        newerDiagnosis(reply), interruptedDiagnosis(reply), exportDiagnosis(reply),
      ]
      .compactMap(\.self)
    case .notAllowed(let path): [RecorderSymptom.denied.diagnosis([.path: path])]
    // systemd holds the socket and tries in vain to start the recorder for each client.
    case .silent where unit?.exitStatus == "78": [RecorderSymptom.misconfigured.diagnosis()]
    case .silent(let reason): [RecorderSymptom.silent.diagnosis([.message: reason])]
    case .absent: [absence].compactMap(\.self)
    }
  }

  /// The unit, if it is installed and belongs to this daemon.
  private var unit: Unit? {
    guard facts.isUsualSocket, let unit = facts.host.units?.recorder, unit.isThere else { return nil }
    return unit
  }

  private var absence: Diagnosis? {
    guard let unit, unit.load != "masked" else { return nil }
    let symptom: RecorderSymptom = unit.active == "failed" && unit.exitStatus == "78" ? .misconfigured : .stopped
    return symptom.diagnosis([.state: unit.active])
  }

  private func recorderDiagnosis(_ reply: LogbookStatusReply) -> Diagnosis? {
    if let recording = reply.recording { return RecorderSymptom.recording.diagnosis([.activity: String(recording)]) }
    // That is why, and another check says so.
    if reply.storage.known == .failed { return nil }
    guard reply.isConnected else { return RecorderSymptom.disconnected.diagnosis() }
    return (facts.isRiding ? RecorderSymptom.notRecording : .waiting).diagnosis()
  }

  private var disabled: Diagnosis? {
    unit?.file == "disabled" ? RecorderSymptom.disabled.diagnosis() : nil
  }

  private func storageDiagnosis(_ reply: LogbookStatusReply) -> Diagnosis? {
    switch reply.storage.known {
    case .failed: return StorageSymptom.failed.diagnosis([.message: reply.message ?? ""])
    case .low: return StorageSymptom.low.diagnosis([.duration: Self.space(reply)])
    default: break
    }
    if let sync = reply.syncP99MS, sync > Double(StorageSymptom.slowestSync) {
      return StorageSymptom.slow.diagnosis([.timeout: Quantity.decimal(sync, places: 0)])
    }
    return reply.hoursLeft == nil ? nil : StorageSymptom.enough.diagnosis([.duration: Self.space(reply)])
  }

  private func damageDiagnosis(_ reply: LogbookStatusReply) -> Diagnosis? {
    reply.damage.map { StorageSymptom.damaged.diagnosis([.message: $0]) }
  }

  private func newerDiagnosis(_ reply: LogbookStatusReply) -> Diagnosis? {
    reply.newer.map { StorageSymptom.newer.diagnosis([.path: $0]) }
  }

  private static func space(_ reply: LogbookStatusReply) -> String {
    let hours = reply.hoursLeft ?? 0
    if hours >= Double(StorageSymptom.manyHours) { return "over \(StorageSymptom.manyHours) hours" }
    return counted(Int(hours), "hour")
  }

  private func interruptedDiagnosis(_ reply: LogbookStatusReply) -> Diagnosis? {
    reply.interrupted.map { InterruptedSymptom.interrupted.diagnosis([.activity: String($0)]) }
  }

  private func exportDiagnosis(_ reply: LogbookStatusReply) -> Diagnosis? {
    guard let folder = reply.exportFolder else { return nil }
    guard let message = reply.exportMessage else { return ExportSymptom.working.diagnosis([.folder: folder]) }
    let symptom: ExportSymptom = folder == ExportSymptom.usualFolder ? .failing : .failingElsewhere
    return symptom.diagnosis([.folder: folder, .message: message])
  }
}
