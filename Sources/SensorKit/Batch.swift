// The result of decoding one packet: samples, facts, answers to commands, and actions for the
// session. A batch is created once per session and reused, so that filling it allocates nothing.
// Content that does not fit is not cut: the batch is marked as overflowed, and the whole packet is
// rejected.

public import Vocabulary

public struct Batch: ~Copyable {
  // Mostly inline and without references, so that setting a value is a few stores.
  @usableFromInline var storage = BatchStorage()
  public private(set) var actions: [Action] = []

  /// A device may have services of many plugins, and each requests everything at once after
  /// connecting.
  private static let mostActions = 256

  public init() {
    actions.reserveCapacity(Self.mostActions)
  }

  /// The packet had more content than fits, or a number that is not finite.
  public var overflowed: Bool {
    @inlinable get { storage.hasOverflowed }
  }

  /// Empties the batch and keeps its storage.
  @inlinable @inline(__always)
  public mutating func removeAll() {
    let hasActions = storage.taken.actions != 0
    storage.removeAll()
    if hasActions { forgetActions() }
  }

  /// A position to roll back to when a packet is rejected halfway.
  public struct Mark: Sendable {
    @usableFromInline var entries = 0
    /// How many of the entries are facts.
    @usableFromInline var facts = 0
    @usableFromInline var fields = 0
    @usableFromInline var objects = 0
    @usableFromInline var objectFields = 0
    @usableFromInline var words = 0
    @usableFromInline var numbers = 0
    @usableFromInline var bytes = 0
    @usableFromInline var actions = 0

    @inlinable
    init() {}

    /// Before all entries.
    static let start = Mark()
  }

  public var mark: Mark { storage.taken }

  public mutating func rollback(to mark: Mark) {
    storage.rollback(to: mark)
    forgetActions()
  }

  /// Drops actions after the current mark.
  @usableFromInline
  mutating func forgetActions() { actions.removeLast(actions.count - storage.taken.actions) }
}

// MARK: Samples, facts and events

extension Batch {
  /// Begins a sample. Fields set from now on belong to it, until the next sample, fact, answer or
  /// event.
  @inlinable @inline(__always)
  public mutating func sample(_ kind: SampleKind) {
    storage.begin(.sample, kind)
  }

  /// Begins an event, something that happened once. Fields set afterwards belong to it.
  @inlinable @inline(__always)
  public mutating func event(_ name: Word) {
    storage.begin(.event, SampleKind(name))
  }

  /// A property of the sensor that does not change: where it is worn, what it can do, who made it.
  @inlinable @inline(__always)
  public mutating func fact(_ field: Field, _ word: Word) {
    storage.begin(.fact)
    set(field, word)
  }

  @inlinable @inline(__always)
  public mutating func fact(_ field: Field, _ number: Double) {
    storage.begin(.fact)
    set(field, number)
  }

  @inlinable @inline(__always)
  public mutating func fact(_ field: Field, _ flag: Bool) {
    storage.begin(.fact)
    set(field, flag)
  }

  /// Begins a fact. The one field that is set next is the fact.
  public mutating func fact() {
    storage.begin(.fact)
  }

  /// Begins a fact that is a list of words, which are appended one by one.
  public mutating func factWords(_ field: Field) {
    storage.begin(.fact)
    storage.beginWords(field)
  }

  /// A fact whose text comes from the sensor. The bytes must be valid UTF-8; the plugin checks
  /// that.
  public mutating func fact(_ field: Field, text: Span<UInt8>) {
    storage.begin(.fact)
    storage.append(field, text)
  }

  public mutating func answer() {
    storage.begin(.answer)
  }
}

// MARK: Fields

extension Batch {
  /// JSON has no infinities and no NaN, so these reject the packet.
  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ number: Double) {
    guard number.isPublishable else { return storage.overflow() }
    storage.append(StoredField(field, number))
  }

  /// Sets several numbers with a single check for space.
  @inlinable @inline(__always)
  public mutating func set<let count: Int>(_ numbers: InlineArray<count, (field: Field, number: Double)>) {
    if !storage.append(numbers) { setEach(numbers) }
  }

  @usableFromInline
  mutating func setEach<let count: Int>(_ numbers: InlineArray<count, (field: Field, number: Double)>) {
    for index in 0..<count { set(numbers[index].field, numbers[index].number) }
  }

  /// Integers are published exactly, even those that a double would round.
  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ number: some BinaryInteger) {
    if number.bitWidth > 53, let large = UInt64(exactly: number), large > 1 << 53 {
      storage.append(StoredField(field: field, form: .largeCount, bits: large))
    } else {
      storage.append(StoredField(field, Double(number)))
    }
  }

  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ flag: Bool) {
    storage.append(StoredField(field: field, form: .flag, bits: flag ? 1 : 0))
  }

  @inlinable @inline(__always)
  public mutating func set(_ field: Field, _ word: Word) {
    storage.append(field, word)
  }

  /// Sets a field to text from the packet. It must be valid UTF-8.
  public mutating func set(_ field: Field, text: Span<UInt8>) {
    storage.append(field, text)
  }

  /// Sets a field to the small hex digits of bytes.
  public mutating func set(_ field: Field, hex bytes: Span<UInt8>) {
    storage.append(field, hex: bytes)
  }
}

// MARK: Lists

extension Batch {
  /// Begins a list of numbers. In a list of vectors, each item has `width` numbers.
  @inlinable @inline(__always)
  public mutating func beginNumbers(_ field: Field, inGroupsOf width: Int = 1) {
    storage.beginNumbers(field, inGroupsOf: width)
  }

  /// Appends a number to the list begun last.
  @inlinable @inline(__always)
  public mutating func append(_ number: Double) {
    storage.append(number)
  }

  /// Begins a list of words.
  public mutating func beginWords(_ field: Field) {
    storage.beginWords(field)
  }

  /// Appends a word to the list begun last.
  public mutating func append(_ word: Word) {
    storage.append(word)
  }

  /// Begins a list of objects; `nextObject` begins each of them.
  @inlinable @inline(__always)
  public mutating func beginObjects(_ field: Field) {
    storage.beginObjects(field)
  }

  /// Begins the next object of the list. Fields set from now on belong to it, until the next object
  /// or `endObjects`.
  @inlinable @inline(__always)
  public mutating func nextObject() {
    if !storage.beginObject() { storage.overflow() }
  }

  @inlinable @inline(__always)
  public mutating func endObjects() {
    storage.endObjects()
  }
}

// MARK: Actions

extension Batch {
  /// An operation on the link. The session performs them in order, and the results arrive as
  /// packets.
  public struct Action: Sendable {
    public enum Verb: Equatable, Sendable {
      case subscribe, read, write, writeWithoutResponse
      /// Not for the link, but for the program that decodes for a plugin.
      case handOver(HandOver)
    }
    public let verb: Verb
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID
    /// The range of the bytes to write; see `value(of:)`.
    public let value: Range<Int>
  }

  /// What the program of a plugin gets.
  public enum HandOver: Equatable, Sendable {
    /// The packet in hand, with its number in the file.
    case packet(Int, of: ObjectIdentifier)
    /// The command in hand.
    case command(of: ObjectIdentifier)

    /// The `SensorInfo` of the plugin.
    public var plugin: ObjectIdentifier {
      switch self {
      case .packet(_, let plugin), .command(let plugin): plugin
      }
    }
  }

  /// Hands the packet over to the program of the plugin.
  public mutating func handOver(_ value: Span<UInt8>, packet number: Int, of plugin: SensorInfo) {
    guard let range = storage.store(value) else { return }
    request(.handOver(.packet(number, of: ObjectIdentifier(plugin))), BluetoothUUID(0), BluetoothUUID(0), range)
  }

  /// Hands the command over to the program of the plugin.
  public mutating func handOverCommand(of plugin: SensorInfo) {
    request(.handOver(.command(of: ObjectIdentifier(plugin))), BluetoothUUID(0), BluetoothUUID(0), 0..<0)
  }

  public mutating func subscribe(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    request(.subscribe, service, characteristic, 0..<0)
  }

  public mutating func read(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    request(.read, service, characteristic, 0..<0)
  }

  public mutating func write(
    _ value: Span<UInt8>, to service: BluetoothUUID, _ characteristic: BluetoothUUID, withResponse: Bool = true
  ) {
    guard let range = storage.store(value) else { return }
    request(withResponse ? .write : .writeWithoutResponse, service, characteristic, range)
  }

  private mutating func request(
    _ verb: Action.Verb, _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ value: Range<Int>
  ) {
    guard actions.count < Self.mostActions else { return storage.overflow() }
    actions.append(Action(verb: verb, service: service, characteristic: characteristic, value: value))
    storage.taken.actions = actions.count
  }
}
