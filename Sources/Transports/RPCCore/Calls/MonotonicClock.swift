#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The present time of CLOCK_MONOTONIC, in nanoseconds. ``CallContext`` has its arrival and its deadline on this clock.
package func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
