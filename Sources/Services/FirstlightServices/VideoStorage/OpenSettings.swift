internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import VideoStorage

extension VideoStorageHandlers {
  func openSettings(
    _ request: Firstlight_V1_OpenSettingsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_OpenSettingsResponse {
    let file = configurationFile.map { " in \($0)" } ?? ", or start it with --video-storage-capacity"
    return .with {
      $0.instructions = """
        An operator sets the size of the video storage: write video-storage-capacity, in bytes, into the configuration \
        of the daemon\(file), and restart the daemon. Or call SetVideoStorageCapacity over a Unix socket of the \
        daemon, as its user or as root; this needs no restart.
        """
      $0.uri = configurationFile.map(Self.uri) ?? ""
    }
  }

  /// The URI of a file with an absolute path.
  static func uri(of path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    return "file://"
      + path.utf8.map { byte in
        if plain.contains(byte) { return String(UnicodeScalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }.joined()
  }
}
