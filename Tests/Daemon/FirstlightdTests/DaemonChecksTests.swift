import CaptureCore
import Foundation
import Logging
import Testing
import VideoStorage

@testable import firstlightd

/// What the daemon finds out of its configuration and of the machine together, before it serves: the folders of
/// another daemon, and a video storage that there cannot be.
@Suite struct DaemonChecksTests {
  /// A folder that another daemon has is named with the setting that names another one.
  @Test(arguments: ["data-dir", "recordings-dir", "video-storage-dir"])
  func aFolderOfAnotherDaemonIsRefused(_ key: String) async throws {
    try await withFolder { folder in
      let shared = folder + "/shared"
      try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: false)
      let first = try FolderClaims(folders(key, shared, besides: folder + "/first"))
      let second = folders(key, shared, besides: folder + "/second")
      #expect(
        refusal { _ = try FolderClaims(second) }
          == "Another firstlightd already uses \(shared); stop it, or give this one its own folder by \(key).")
      withExtendedLifetime(first) {}
    }
  }

  /// A daemon that ended leaves its folder to the next.
  @Test func aFolderIsFreeAgain() async throws {
    try await withFolder { folder in
      for _ in 0..<2 { #expect(refusal { _ = try FolderClaims(.init(data: folder)) } == nil) }
    }
  }

  /// One daemon may use one folder for all its files.
  @Test func oneDaemonMayNameOneFolderTwice() async throws {
    try await withFolder { folder in
      let folders = DaemonConfiguration.Folders(data: folder, recordings: folder, videoStorage: folder)
      #expect(refusal { _ = try FolderClaims(folders) } == nil)
    }
  }

  @Test func aFolderThatIsNotThereIsMade() async throws {
    try await withFolder { folder in
      let claims = try FolderClaims(.init(data: folder + "/a/b"))
      var isFolder: ObjCBool = false
      #expect(FileManager.default.fileExists(atPath: folder + "/a/b", isDirectory: &isFolder) && isFolder.boolValue)
      withExtendedLifetime(claims) {}
    }
  }

  /// A session that uses the video storage is refused where there cannot be one. A session that does not is taken.
  @Test func aSessionCannotUseAVideoStorageThatThereCannotBe() async throws {
    let folder = "/dev/shm/firstlight-\(UUID().uuidString)"
    let reason = try #require(await VideoStorage(folder: folder, logger: Self.logger).state.unsupportedReason)
    for (entry, field) in [
      ("movie: {uses_pro_video_storage: true}", "movie"),
      ("additional_movies: [{id: a}, {id: b, uses_pro_video_storage: true}]", "additional_movies[1]"),
    ] {
      #expect(
        try await checkStorage(of: Door.file(entry), folder)
          == "sessions.door.\(field).uses_pro_video_storage of the configuration file cannot be true: \(reason)")
    }
    #expect(try await checkStorage(of: Door.file("movie: {}"), folder) == nil)
  }

  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// What the daemon tells of a file with a video storage in a folder; nil when it takes them.
  private func checkStorage(of yaml: String, _ folder: String) async throws -> String? {
    var configuration = DaemonConfiguration()
    configuration.folders.videoStorage = folder
    configuration.declared.sessions = try ConfigurationFile(yaml: yaml, fileName).sessions
    let daemon = Daemon(configuration: configuration, logger: Self.logger)
    return await refusal { try await daemon.check(daemon.makeVideoStorage()) }
  }

  /// Folders of which one is shared with another daemon.
  private func folders(_ key: String, _ shared: String, besides own: String) -> DaemonConfiguration.Folders {
    var folders = DaemonConfiguration.Folders(data: own)
    switch key {
    case "data-dir": folders.data = shared
    case "recordings-dir": folders.recordings = shared
    default: folders.videoStorage = shared
    }
    return folders
  }
}
