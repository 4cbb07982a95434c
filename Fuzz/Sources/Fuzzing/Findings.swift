// Reports a finding: it ends the process, and libFuzzer saves the bytes. With FUZZ_SHOW=1 a target
// also prints what the bytes mean, step by step, as the basis of a regression test.

import Linux

/// Whether to print the steps.
public let isShowing = ProcessEnvironment.variable("FUZZ_SHOW") != nil

public func show(_ text: @autoclosure () -> String) {
  if isShowing { print(text()) }
}

/// Checks an invariant.
public func require(_ isTrue: Bool, _ meaning: @autoclosure () -> String) {
  guard !isTrue else { return }
  fatalError("finding: \(meaning())")
}
