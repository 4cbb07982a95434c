// What a file with [Process] allows the program that decodes its packets: who may run it, how long it may
// take, and every record, key and type that it may publish.

public import SensorKit

public struct ProcessProgram: Sendable {
  /// The line of [Process].
  public let line: Int
  /// The user whose program may decode for this file.
  public let user: String
  /// How many packets of a session may wait for their answers.
  public let unanswered: Int
  /// How long an answer may take.
  public let within: Duration
  /// The names of the packets, in the order of the file.
  public let packets: [Word]
  public let records: [Record]
  /// Of records and objects.
  public let fields: [RecordField]
  /// Of fields.
  public let words: [Word]
  /// The services that the program may write to.
  public private(set) var writableServices: [BluetoothUUID] = []

  public static let mostUnanswered = 64
  public static let mostFields = 64

  public enum Form: Equatable, Sendable {
    case sample(SampleKind)
    case event(Word)
    case fact
    case answer
  }

  public struct Record: Sendable {
    public let form: Form
    /// Among `fields`, at most `mostFields`.
    public let fields: Range<Int>
  }

  public struct RecordField: Sendable {
    public let field: Field
    public let type: FieldType
  }

  public enum FieldType: Equatable, Sendable {
    case number, flag, text, numbers
    /// One of these, among `words`.
    case word(Range<Int>)
    /// A list of these.
    case words(Range<Int>)
    /// The fields of each, among `fields`.
    case objects(Range<Int>)
  }

  mutating func allowWrites(to service: BluetoothUUID) {
    if !writableServices.contains(service) { writableServices.append(service) }
  }
}
