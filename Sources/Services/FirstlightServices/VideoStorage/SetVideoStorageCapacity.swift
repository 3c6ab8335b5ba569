internal import CaptureCore
internal import FirstlightAPI
internal import Glibc
internal import RPCCore
internal import SwiftProtobuf
internal import VideoStorage

extension VideoStorageHandlers {
  func setVideoStorageCapacity(
    _ request: Firstlight_V1_SetVideoStorageCapacityRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetVideoStorageCapacityResponse {
    try Self.checkIsOperator(context.peerCredentials)
    let state = try await storage.setCapacity(request.initialCapacity)
    return .with { $0.videoStorage = state.proto }
  }

  /// The user whom the kernel names for all users that a container does not know.
  private static let unknownUser: UInt32 = 65534

  /// Operators are those who could as well change the daemon's configuration: its own user, and root. The kernel tells
  /// the user of a process only over a Unix socket.
  ///
  /// - Parameter own: the user of the daemon.
  static func checkIsOperator(_ peer: PeerCredentials?, own: UInt32 = geteuid()) throws(CaptureError) {
    guard let peer, peer.userID == 0 || (peer.userID == own && own != unknownUser) else {
      throw CaptureError(
        .operatorRequired,
        "Only operators may set the capacity of the video storage; call over a Unix socket of the daemon, as its user "
          + "or as root. OpenSettings tells more.")
    }
  }
}
