// What the radio knows about one adapter.

internal import DBus
internal import EventLoop
import Radio
import Time

/// One adapter for the lifetime of this radio, whatever its name: it can come back as hci1.
final class KnownAdapter {
  var shown: RadioAdapter
  /// Its current path in the tree.
  var path: String?
  var wasSwitchedOff = false
  /// When it last went off.
  var wentOff: MonotonicTime?
  /// BlueZ refused to switch it on because of rfkill. Older releases report the block only in
  /// this way.
  var isRefusedByBlock = false
  /// It has no room for another link, or receives nothing. Others are preferred until then, or
  /// until a link of ours on it ends.
  var avoidedUntil: MonotonicTime?
  var isSwitching = false
  /// Until then, going off means that we switched it off.
  var resettingUntil = MonotonicTime(nanoseconds: 0)
  /// We switched it off, and it must be switched on again.
  var isOffByReset = false
  var resets = 0
  var noResetUntil = MonotonicTime(nanoseconds: 0)
  var callsForHelp = 0
  var noCallUntil = MonotonicTime(nanoseconds: 0)
  var problem: BusError?
  var attempts = 0
  var retry: Deadline?

  init(_ shown: RadioAdapter) {
    self.shown = shown
  }
}
