internal import FirstlightAPI
internal import SwiftProtobuf
internal import VideoStorage

extension VideoStorageState {
  /// The state as clients get it.
  var proto: Firstlight_V1_VideoStorage {
    .with {
      $0.supported = unsupportedReason == nil
      $0.unsupportedReason = unsupportedReason ?? ""
      $0.initialCapacity = initialCapacity
      $0.remainingCapacity = remainingCapacity
      $0.busy = busyReason != nil
      $0.busyReasons = busyReason.map { [$0.proto] } ?? []
      if let failure { $0.error = ErrorMapping.status(failure) }
    }
  }
}

extension VideoStorageState.BusyReason {
  fileprivate var proto: Firstlight_V1_VideoStorage.BusyReason {
    switch self {
    case .adjustingCapacity: .adjustingCapacity
    case .replenishing: .replenishing
    case .capturing: .capturing
    }
  }
}
