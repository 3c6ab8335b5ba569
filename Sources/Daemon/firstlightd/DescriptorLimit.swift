internal import Foundation

/// How many files this process may have open.
enum DescriptorLimit {
  /// Raises it to what the system allows: a connection takes two descriptors, and the usual limit of 1,024 would end at
  /// half the connections that are configured. Without permission nothing changes.
  static func raise() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}
