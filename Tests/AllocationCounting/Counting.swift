// Whether counting allocations makes sense: not in debug code, which allocates at will, nor where a sanitizer brings its own allocator.

internal import CAllocationCounter

public var allocationsAreCounted: Bool {
  #if DEBUG
    false
  #else
    allocation_count() >= 0
  #endif
}
