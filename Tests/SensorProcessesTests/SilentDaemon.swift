// A daemon that counts what is published, and keeps nothing of it.

import DeclaredSensors
import SensorKit
import SensorProcesses

final class SilentDaemon: ProcessConversationOwner {
  private let program: ProcessProgram?
  private(set) var published = 0

  init(_ program: ProcessProgram?) { self.program = program }

  func conversation(_ conversation: ProcessConversation, registers id: String) throws(ProcessFault) -> ProcessProgram {
    guard let program else { throw ProcessFault(.noSuchFile, "") }
    return program
  }

  func conversation(
    _ conversation: ProcessConversation, answered packet: ProcessPacket, refusal: DecodeError?, with batch: inout Batch
  ) {
    published += batch.entryIndices.count
  }

  func conversationIsReady(_ conversation: ProcessConversation) {}
  func conversation(_ conversation: ProcessConversation, missedPacketOf session: Int) {}
  func conversation(
    _ conversation: ProcessConversation, answeredCommandOf session: Int, error: String?, with batch: inout Batch
  ) {}
  func conversation(_ conversation: ProcessConversation, lostCommandOf session: Int) {}
  func conversation(_ conversation: ProcessConversation, answeredTickOf session: Int, with batch: inout Batch) {}
  func conversation(_ conversation: ProcessConversation, logs text: String) {}
  func conversationLeftItsFile(_ conversation: ProcessConversation) {}
  func conversation(_ conversation: ProcessConversation, endedWith fault: ProcessFault) {}
}
