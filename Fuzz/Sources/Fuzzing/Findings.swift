// How a fuzz target says that something is wrong: it ends the process, and libFuzzer keeps the bytes. With FUZZ_SHOW=1 a
// target also says what the bytes mean, step by step, from which a regression test is written.

import Linux

/// Whether the steps are to be told.
public let isShowing = ProcessEnvironment.variable("FUZZ_SHOW") != nil

public func show(_ text: @autoclosure () -> String) {
  if isShowing { print(text()) }
}

/// Holds what was found to what is true of all inputs.
public func require(_ isTrue: Bool, _ meaning: @autoclosure () -> String) {
  guard !isTrue else { return }
  fatalError("finding: \(meaning())")
}
