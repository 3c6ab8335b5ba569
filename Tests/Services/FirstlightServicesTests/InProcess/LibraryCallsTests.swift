import FirstlightAPI
import FirstlightTestKit
import Foundation
import RPCCore
import SwiftProtobuf
import Testing

@testable import FirstlightServices

/// What PhotoLibraryService answers and refuses. What is on the disk is tested with the module.
@Suite(.timeLimit(.minutes(1))) struct LibraryCallsTests {
  private typealias Service = Firstlight_V1_PhotoLibraryService
  private typealias Change = Firstlight_V1_AssetChange

  /// The head and the end of a PNG file; the library does not decode it.
  private static let png = Data(
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0, 0, 0, 1, 0]
      + Array(repeating: 0, count: 20) + [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])

  private static func creating(_ data: Data = png, session: String = "") -> Change {
    .with {
      $0.createAsset.session = session
      $0.createAsset.resources = [
        .with {
          $0.type = .photo
          $0.data = data
        }
      ]
    }
  }

  private static func request(_ changes: [Change]) -> Firstlight_V1_PerformChangesRequest {
    .with { $0.changes = changes }
  }

  private func perform(
    _ changes: [Change], _ daemon: InProcessDaemon, by client: InProcessDaemon.Client = .local
  ) async throws -> [Firstlight_V1_Asset] {
    let response: Firstlight_V1_PerformChangesResponse = try await daemon.call(
      Service.performChanges, Self.request(changes), by: client)
    return response.assets
  }

  @Test func assetsAreMadeListedAndDeleted() async throws {
    try await InProcessDaemon.run { daemon in
      let made = try await perform(
        (0..<3).map { number in
          var change = Self.creating(session: "sessions/s\(number)")
          change.createAsset.captureTime.seconds = Int64(1000 + number)
          change.createAsset.device = "devices/usb-1"
          return change
        }, daemon)
      #expect(made.map(\.session) == ["sessions/s0", "sessions/s1", "sessions/s2"])
      #expect(made.allSatisfy { $0.encoding == .png && $0.width == 512 && $0.height == 256 && $0.state == .final })
      #expect(made.allSatisfy { $0.byteCount == UInt64(Self.png.count) && $0.device == "devices/usb-1" })

      var first: Firstlight_V1_ListAssetsResponse = try await daemon.call(
        Service.listAssets, Firstlight_V1_ListAssetsRequest.with { $0.pageSize = 2 })
      #expect(first.assets == [made[2], made[1]])
      _ = try await perform([.with { $0.deleteAsset = made[1].name }], daemon)
      let second: Firstlight_V1_ListAssetsResponse = try await daemon.call(
        Service.listAssets,
        Firstlight_V1_ListAssetsRequest.with {
          $0.pageSize = 2
          $0.pageToken = first.nextPageToken
        })
      #expect(second.assets == [made[0]] && second.nextPageToken == "")
      first = try await daemon.call(
        Service.listAssets, Firstlight_V1_ListAssetsRequest.with { $0.session = "sessions/s1" })
      #expect(first.assets == [])
      let error = try await daemon.refusal(
        of: Service.getAsset, Firstlight_V1_GetAssetRequest.with { $0.name = made[1].name })
      #expect(error.summary == "NOT_FOUND ASSET_NOT_FOUND")
    }
  }

  @Test func aTokenOfAnotherListIsRefused() async throws {
    try await InProcessDaemon.run { daemon in
      _ = try await perform([Self.creating(), Self.creating()], daemon)
      let page: Firstlight_V1_ListAssetsResponse = try await daemon.call(
        Service.listAssets, Firstlight_V1_ListAssetsRequest.with { $0.pageSize = 1 })
      let error = try await daemon.refusal(
        of: Service.listAssets,
        Firstlight_V1_ListAssetsRequest.with {
          $0.pageToken = page.nextPageToken
          $0.state = .final
        })
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      // The hash of the list is right, and what follows is no place in it.
      let text = try #require(Data(base64Encoded: page.nextPageToken).map { String(decoding: $0, as: UTF8.self) })
      let broken = Data("\(text.prefix { $0 != " " }) nowhere".utf8).base64EncodedString()
      let second = try await daemon.refusal(
        of: Service.listAssets,
        Firstlight_V1_ListAssetsRequest.with {
          $0.pageToken = broken
          $0.pageSize = 1
        })
      #expect(second.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
    }
  }

  @Test func whatIsNoPhotoIsRefused() async throws {
    try await InProcessDaemon.run { daemon in
      var both = Self.creating()
      both.createAsset.resources[0].file = "captures/a"
      var unknown = Self.creating()
      unknown.createAsset.resources[0].data = Data()
      unknown.createAsset.resources[0].file = "captures/a"
      var untyped = Self.creating()
      untyped.createAsset.resources[0].type = .unspecified
      var late = Self.creating()
      late.createAsset.captureTime = .with { $0.seconds = 13_569_465_600 }
      let bad: [([Change], String)] = [
        ([], "INVALID_ARGUMENT INVALID_ARGUMENT"), ([Change()], "INVALID_ARGUMENT INVALID_ARGUMENT"),
        ([Self.creating(), Self.creating(Data("no photo".utf8))], "INVALID_ARGUMENT INVALID_RESOURCE"),
        ([both], "INVALID_ARGUMENT INVALID_ARGUMENT"), ([late], "INVALID_ARGUMENT INVALID_ARGUMENT"),
        ([untyped], "INVALID_ARGUMENT INVALID_ARGUMENT"),
        ([unknown], "NOT_FOUND CAPTURE_NOT_FOUND"),
        ([.with { $0.createAsset = .init() }], "INVALID_ARGUMENT INVALID_ARGUMENT"),
        ([.with { $0.deleteAsset = "sessions/a" }], "INVALID_ARGUMENT INVALID_ARGUMENT"),
        ([Self.creating(), .with { $0.deleteAsset = "assets/a" }], "NOT_FOUND ASSET_NOT_FOUND"),
        (Array(repeating: Self.creating(), count: 101), "INVALID_ARGUMENT INVALID_ARGUMENT"),
      ]
      for (changes, expected) in bad {
        let error = try await daemon.refusal(of: Service.performChanges, Self.request(changes))
        #expect(error.summary == expected, "\(changes.count) changes")
      }
      let list: Firstlight_V1_ListAssetsResponse = try await daemon.call(
        Service.listAssets, Firstlight_V1_ListAssetsRequest())
      #expect(list.assets == [])
    }
  }

  /// The library keeps what cameras saw long ago, so clients elsewhere need a permission.
  @Test("K12") func clientsElsewhereNeedPermissions() async throws {
    let change = [Self.creating()]
    try await InProcessDaemon.run { daemon in
      for client in [InProcessDaemon.Client.local, .root] { _ = try await perform(change, daemon, by: client) }
      let error = try await daemon.refusal(of: Service.performChanges, Self.request(change), by: .remote)
      #expect(error.summary == "PERMISSION_DENIED PERMISSION_REQUIRED")
      #expect(error.metadata["permission"] == "library.add")
      let listing = try await daemon.refusal(of: Service.listAssets, Firstlight_V1_ListAssetsRequest(), by: .remote)
      #expect(listing.metadata["permission"] == "library.read")
    }
    try await InProcessDaemon.run({ $0.access = StandardAccess(networkPermissions: [.addToLibrary]) }) { daemon in
      let asset = try await perform(change, daemon, by: .remote)[0]
      let deleting = Self.request([.with { $0.deleteAsset = asset.name }])
      let error = try await daemon.refusal(of: Service.performChanges, deleting, by: .remote)
      #expect(error.metadata["permission"] == "library.write")
      let reading = try await daemon.refusal(
        of: Service.requestImage, Firstlight_V1_RequestImageRequest.with { $0.name = asset.name }, by: .remote)
      #expect(reading.metadata["permission"] == "library.read")
    }
  }

  @Test func watchersHearOfWhatComesAfterAList() async throws {
    try await InProcessDaemon.run { daemon in
      let list: Firstlight_V1_ListAssetsResponse = try await daemon.call(
        Service.listAssets, Firstlight_V1_ListAssetsRequest())
      let asset = try await perform([Self.creating()], daemon)[0]
      _ = try await perform([.with { $0.deleteAsset = asset.name }], daemon)
      let events: ResponseStream<Firstlight_V1_WatchAssetsResponse> = try daemon.stream(
        Service.watchAssets, Firstlight_V1_WatchAssetsRequest.with { $0.afterEventID = list.eventID })
      #expect(try await events.next()?.event.added == asset)
      #expect(try await events.next()?.event.deleted == asset.name)
    }
  }

  @Test func aDownloadResumes() async throws {
    try await InProcessDaemon.run { daemon in
      let asset = try await perform([Self.creating()], daemon)[0]
      let rest: Firstlight_V1_DownloadAssetResponse = try await daemon.call(
        Service.downloadAsset,
        Firstlight_V1_DownloadAssetRequest.with {
          $0.name = asset.name
          $0.offset = 20
        })
      #expect(rest.offset == 20 && rest.data == Self.png.dropFirst(20))
      let error = try await daemon.refusal(
        of: Service.downloadAsset,
        Firstlight_V1_DownloadAssetRequest.with {
          $0.name = asset.name
          $0.offset = 1000
        })
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
    }
  }

  @Test func aTargetNeedsBothSides() async throws {
    try await InProcessDaemon.run { daemon in
      let asset = try await perform([Self.creating()], daemon)[0]
      let error = try await daemon.refusal(
        of: Service.requestImage,
        Firstlight_V1_RequestImageRequest.with {
          $0.name = asset.name
          $0.targetWidth = 100
        })
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
    }
  }
}
