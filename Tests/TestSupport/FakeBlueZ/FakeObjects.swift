// The objects of a fake service, as shown by org.freedesktop.DBus.ObjectManager and .Properties,
// with a signal for every change. Only `ObjectTable` uses the bus, so no change is missed.

internal import DBus

final class FakeObject {
  let path: String
  fileprivate(set) var interfaces: [String: [String: Value]]
  /// Handles calls except those of the standard interfaces.
  var call: (BusMessage) -> CallAnswer = { _ in .unknown }
  /// Handles Properties.Set: interface, name, new value, and the call to answer.
  var set: (String, String, Value, BusMessage) -> CallAnswer = { _, name, _, call in
    .reply(.error(BusError(.propertyReadOnly, "\(name) cannot be set"), to: call))
  }

  init(_ path: String, _ interfaces: [String: [String: Value]]) {
    self.path = path
    self.interfaces = interfaces
  }
}

final class ObjectTable {
  private(set) var objects: [String: FakeObject] = [:]
  var send: (BusMessage) -> Void = { _ in }

  static let manager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"

  func add(_ object: FakeObject) {
    objects[object.path] = object
    let signal = BusMessage.signal(path: "/", interface: Self.manager, member: "InterfacesAdded")
    send(signal.append(.objectPath(object.path), describe(object)))
  }

  func remove(_ path: String) {
    guard let object = objects.removeValue(forKey: path) else { return }
    sayRemoved(path, object.interfaces.keys.sorted())
  }

  func addInterface(_ interface: String, _ properties: [String: Value], to path: String) {
    guard let object = objects[path] else { return }
    object.interfaces[interface] = properties
    let signal = BusMessage.signal(path: "/", interface: Self.manager, member: "InterfacesAdded")
    send(signal.append(.objectPath(path), encode([interface: properties])))
  }

  func removeInterface(_ interface: String, from path: String) {
    guard objects[path]?.interfaces.removeValue(forKey: interface) != nil else { return }
    sayRemoved(path, [interface])
  }

  /// The service dies, so clients are not notified.
  func forgetAll() {
    objects = [:]
  }

  /// Signals only differences, unless `always` is set: some properties are sent on each write.
  func change(_ path: String, _ interface: String, _ properties: [String: Value], always: Bool = false) {
    guard let object = objects[path], let before = object.interfaces[interface] else { return }
    let news = always ? properties : properties.filter { before[$0.key] != $0.value }
    guard !news.isEmpty else { return }
    object.interfaces[interface] = before.merging(news) { $1 }
    sayChanged(path, interface, news, [])
  }

  func invalidate(_ path: String, _ interface: String, _ name: String) {
    guard objects[path]?.interfaces[interface]?.removeValue(forKey: name) != nil else { return }
    sayChanged(path, interface, [:], [name])
  }

  func sayChanged(_ path: String, _ interface: String, _ news: [String: Value], _ invalidated: [String]) {
    let signal = BusMessage.signal(path: path, interface: Self.properties, member: "PropertiesChanged")
    send(signal.append(.string(interface), .properties(news), .strings(invalidated)))
  }

  private func sayRemoved(_ path: String, _ interfaces: [String]) {
    let signal = BusMessage.signal(path: "/", interface: Self.manager, member: "InterfacesRemoved")
    send(signal.append(.objectPath(path), .strings(interfaces)))
  }
}

// MARK: Replies

extension ObjectTable {
  func answer(_ call: BusMessage) -> CallAnswer {
    if call.path == "/", call.interface == Self.manager, call.member == "GetManagedObjects" {
      return .reply(BusMessage.reply(to: call).append(everything))
    }
    guard let path = call.path, let object = objects[path] else {
      return .reply(.error(BusError(.unknownObject, "no object \(call.path ?? "")"), to: call))
    }
    return call.interface == Self.properties ? answerProperties(call, object) : object.call(call)
  }

  private func answerProperties(_ call: BusMessage, _ object: FakeObject) -> CallAnswer {
    var reader = call.reader
    guard let interface = reader.string(), let properties = object.interfaces[interface] else {
      return .reply(.error(BusError(.unknownInterface, "no such interface"), to: call))
    }
    if call.member == "GetAll" { return .reply(BusMessage.reply(to: call).append(.properties(properties))) }
    guard let name = reader.string() else { return .unknown }
    switch call.member {
    case "Get":
      guard let value = properties[name] else {
        return .reply(.error(BusError(.unknownProperty, "no property \(name)"), to: call))
      }
      return .reply(BusMessage.reply(to: call).append(.variant(value)))
    case "Set":
      guard let value = reader.value() else { return .unknown }
      return object.set(interface, name, value.unwrapped, call)
    default:
      return .unknown
    }
  }

  private var everything: Value {
    let entries = objects.values.sorted { $0.path < $1.path }.map { object in
      Value.Entry(.objectPath(object.path), describe(object))
    }
    return .dictionary(entries, keys: "o", values: "a{sa{sv}}")
  }

  /// BlueZ also lists the interfaces that every object has.
  private func describe(_ object: FakeObject) -> Value {
    encode(
      object.interfaces.merging([Self.properties: [:], "org.freedesktop.DBus.Introspectable": [:]]) { own, _ in own })
  }

  private func encode(_ interfaces: [String: [String: Value]]) -> Value {
    let entries = interfaces.sorted { $0.key < $1.key }.map { Value.Entry(.string($0.key), .properties($0.value)) }
    return .dictionary(entries, keys: "s", values: "a{sv}")
  }
}
