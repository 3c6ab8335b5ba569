internal import Foundation

/// The number of files that this process may have open.
enum DescriptorLimit {
  /// Raises the limit to the most that the system allows. A connection takes two descriptors, so the usual limit of
  /// 1,024 would suffice only for a quarter of the 2,048 connections that the daemon takes by default. Without
  /// permission the limit stays as it is.
  static func raise() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}
