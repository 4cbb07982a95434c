// The checks of `cyclo doctor`, in its order. Each has an enum with one case for each thing that it
// can find. Where the text does not say when doctor reports a case, `condition` does, for
// docs/troubleshooting.md.

public enum Check: String, CaseIterable {
  case daemon, release, permission, service, sandbox, files
  case reset, bluez, restart, adapter
  case links, power, wifi
  case position
  case recorder, storage, interrupted, export
  case guide
  case bridge
  case dashboard
  case state, plugins, battery, signal, packets, reconnects, silence, wheel, quirk
}
