// The quirks of the current device, looked up by its name and again when its device information is
// read.

import Vocabulary

extension PluginHost {
  mutating func identify(_ stored: StoredField, of batch: borrowing Batch) {
    let fact = batch.read(stored)
    guard fact.field == .manufacturer || fact.field == .model, case .text(let range) = fact.value else { return }
    // Read at every connection, and mostly unchanged.
    let known = fact.field == .manufacturer ? identity.manufacturer : identity.model
    guard !known.utf8.elementsEqual(batch.text(range)) else { return }
    let text = String(decoding: batch.text(range), as: UTF8.self)
    if fact.field == .manufacturer { identity.manufacturer = text } else { identity.model = text }
    findQuirks()
  }

  /// Notifies the plugins only if something changed.
  mutating func findQuirks() {
    let effects = quirks.effects(for: identity)
    guard effects != settings.quirks else { return }
    settings.quirks = effects
    for index in plugins.indices { plugins[index].settingsChanged(settings) }
  }
}

extension [Quirk] {
  func effects(for device: DeviceIdentity) -> [QuirkEffect] {
    filter { $0.concerns(device) }.map(\.effect)
  }
}
