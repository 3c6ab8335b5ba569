import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import SystemClocks
import Testing

@testable import PhotoLibrary

/// What the library keeps, finds and forgets.
@Suite(.timeLimit(.minutes(1))) struct PhotoLibraryTests {
  private let rig = LibraryRig()

  @Test func anAssetHasItsFilesAndOutlivesTheDaemon() async throws {
    let photo = try rig.jpeg()
    let made = try await rig.withLibrary { library in
      let assets = try await library.perform([try rig.new(photo), try rig.new(session: "", device: "")])
      #expect(assets.count == 2 && Set(assets.map(\.id)).count == 2)
      return assets
    }
    try await rig.withLibrary { library in
      let asset = try await library.asset(made[0].id)
      #expect(asset == made[0])
      #expect(asset.session == "front" && asset.device == "usb-1" && asset.state == .final)
      #expect(asset.captureTime.nanoseconds == 1_700_000_000_000_000_000)
      #expect(asset.photo?.size == Size(width: 640, height: 360))
      let file = try await library.open(asset.id)
      let bytes = try await file.read(at: 0, count: AssetFile.maximumRead)
      #expect(photo.buffer.withUnsafeBytes { $0.elementsEqual(bytes) })
      let tail = try await file.read(at: file.photo.byteCount - 2, count: 10)
      #expect(tail == [0xff, 0xd9])
      let thumbnail = try #require(try await library.thumbnails(of: [asset])[0])
      let small = thumbnail.withUnsafeBytes { JPEGSize.read($0) }
      #expect(small == Size(width: 320, height: 180))
    }
    #expect(rig.files(in: "incoming") == [])
    #expect(rig.files(in: "contents").count == 4, "two photos and their thumbnails")
  }

  @Test("K5") func aBatchWithOneBadItemChangesNothing() async throws {
    try await rig.withLibrary { library in
      let kept = try await library.perform([try rig.new()])[0]
      let uncompressed = Picture(
        layout: try #require(FrameLayout.packed(.nv12, Size(width: 16, height: 16))), buffer: try rig.jpeg().buffer)
      let bad: [[AssetChange]] = [
        [try rig.new(), .delete(kept.id), .delete("unknown")],
        [try rig.new(), .delete(kept.id), .delete(kept.id)],
        [try rig.new(), try rig.new(uncompressed)],
      ]
      let expected: [(CaptureError.Reason, String)] = [
        (.assetNotFound, "changes[2].delete_asset"), (.assetNotFound, "changes[2].delete_asset"),
        (.invalidResource, "changes[1].create_asset.resources"),
      ]
      for (changes, (reason, field)) in zip(bad, expected) {
        let error = await #expect(throws: CaptureError.self) { try await library.perform(changes) }
        #expect(error?.reason == reason && error?.field == field)
        #expect(try await library.assets(LibraryRig.all, atMost: 10) == [kept])
        #expect(rig.files(in: "incoming") == [] && rig.files(in: "contents") == Set(kept.resources.map(\.file)))
      }
      #expect(library.events.lastID == 1)
    }
  }

  @Test func aDeletedAssetIsGoneWithItsFiles() async throws {
    try await rig.withLibrary { library in
      let assets = try await library.perform([try rig.new(), try rig.new()])
      let file = try await library.open(assets[0].id)
      _ = try await library.perform([.delete(assets[0].id)])
      await #expect(throws: CaptureError.noAsset(assets[0].id)) { try await library.asset(assets[0].id) }
      #expect(rig.files(in: "contents") == Set(assets[1].resources.map(\.file)))
      // A download that has begun goes on.
      #expect(try await file.read(at: 0, count: 2) == [0xff, 0xd8])
      let thumbnails = try await library.thumbnails(of: assets)
      #expect(thumbnails[0] == nil && thumbnails[1] != nil)
    }
  }

  /// No place in a list means another asset later, and nobody gets an asset under the name of another.
  @Test func neitherIdsNorNumbersRepeat() async throws {
    try await rig.withLibrary { library in
      var ids: Set<String> = []
      var numbers: [Int64] = []
      for _ in 0..<5 {
        let asset = try await library.perform([try rig.new()])[0]
        ids.insert(asset.id)
        numbers.append(asset.number)
        _ = try await library.perform([.delete(asset.id)])
      }
      #expect(ids.count == 5 && Set(numbers).count == 5 && numbers == numbers.sorted())
    }
  }

  /// What goes makes room in the quota for what comes in the same call.
  @Test func anAssetCanBeReplacedWithinTheQuota() async throws {
    let size = try await rig.withLibrary { library in try await library.perform([try rig.new()])[0].byteCount }
    try await rig.withLibrary(quota: size + size / 2) { library in
      let old = try await library.assets(LibraryRig.all, atMost: 1)[0]
      let refused = await #expect(throws: CaptureError.self) { try await library.perform([try rig.new()]) }
      #expect(refused?.reason == .libraryFull)
      let new = try await library.perform([.delete(old.id), try rig.new()])
      #expect(try await library.assets(LibraryRig.all, atMost: 10) == new)
    }
  }

  /// A client that asks again after its call broke off must not get the photo twice.
  @Test func aChangeWhoseCallerIsGoneIsNotBegun() async throws {
    try await rig.withLibrary { library in
      let change = try rig.new()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await library.perform([change])
      }
      let error = await #expect(throws: CaptureError.self) { try await task.value }
      #expect(error?.reason == .operationInterrupted)
      #expect(try await library.assets(LibraryRig.all, atMost: 1) == [])
    }
  }

  @Test func listsAreFilteredAndOrderedByTime() async throws {
    try await rig.withLibrary { library in
      let assets = try await library.perform([
        try rig.new(session: "front", device: "a", at: 300), try rig.new(session: "back", device: "a", at: 100),
        try rig.new(session: "front", device: "b", at: 200), try rig.new(session: "front", device: "b", at: 200),
      ])
      func found(_ filter: AssetFilter) async throws -> [Int] {
        try await library.assets(filter, atMost: 10).map { asset in assets.firstIndex(of: asset)! }
      }
      func span(_ from: UInt64, _ to: UInt64) -> Range<WallInstant> {
        WallInstant(nanoseconds: from * 1_000_000_000)..<WallInstant(nanoseconds: to * 1_000_000_000)
      }
      #expect(try await found(LibraryRig.all) == [0, 3, 2, 1])
      #expect(try await found(AssetFilter(session: "front", times: LibraryRig.all.times)) == [0, 3, 2])
      #expect(try await found(AssetFilter(device: "a", times: LibraryRig.all.times)) == [0, 1])
      #expect(try await found(AssetFilter(session: "back", device: "b", times: LibraryRig.all.times)) == [])
      #expect(try await found(AssetFilter(state: .final, times: span(100, 300))) == [3, 2, 1])
      #expect(try await found(AssetFilter(times: span(101, 200))) == [])
    }
  }

  /// Whatever comes and goes between two pages, each asset that stays is on exactly one of them.
  @Test(arguments: 0..<4 as Range<UInt64>) func pagesStayValidWhileAssetsComeAndGo(_ seed: UInt64) async throws {
    try await rig.withLibrary { library in
      var random = SeededGenerator(seed: seed)
      let photo = rig.heic(bytes: 100)
      func change() throws -> AssetChange { try rig.new(photo, at: UInt64.random(in: 1000...1020, using: &random)) }
      let kept = try await library.perform((0..<60).map { _ in try change() })
      var others = try await library.perform((0..<40).map { _ in try change() })
      var seen: [Asset] = []
      var position: AssetPosition?
      while true {
        let page = try await library.assets(LibraryRig.all, after: position, atMost: 7)
        seen += page
        guard let last = page.last else { break }
        position = AssetPosition(after: last)
        others.shuffle(using: &random)
        // The asset at the end of the page may be among those that go.
        _ = try await library.perform([.delete(others.removeLast().id), try change(), try change()])
      }
      #expect(Set(seen).count == seen.count)
      #expect(Set(kept).isSubset(of: seen))
      let order = seen.map { (-Int64($0.captureTime.nanoseconds), -$0.number) }
      #expect(zip(order, order.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func theQuotaIsKept() async throws {
    let photo = rig.heic(bytes: 1000)
    try await rig.withLibrary(quota: 2500) { library in
      let assets = try await library.perform([try rig.new(photo), try rig.new(photo)])
      let error = await #expect(throws: CaptureError.self) { try await library.perform([try rig.new(photo)]) }
      #expect(error?.reason == .libraryFull)
      #expect(
        error?.metadata == ["used_bytes": "2000", "quota_bytes": "2500", "needed_bytes": "1000"])
      // Deleting needs no room.
      _ = try await library.perform([.delete(assets[0].id)])
      _ = try await library.perform([try rig.new(photo)])
    }
    // What was counted is counted still.
    try await rig.withLibrary(quota: 2500) { library in
      let error = await #expect(throws: CaptureError.self) { try await library.perform([try rig.new(photo)]) }
      #expect(error?.metadata["used_bytes"] == "2000")
    }
  }

  @Test func watchersLearnWhatHappens() async throws {
    try await rig.withLibrary { library in
      let asset = try await library.perform([try rig.new()])[0]
      _ = try await library.perform([.delete(asset.id)])
      guard case .added(let added) = try await library.events.entry(after: 0).payload,
        case .deleted(let deleted) = try await library.events.entry(after: 1).payload
      else {
        Issue.record("The events are others.")
        return
      }
      #expect(added == asset && deleted == asset.id)
    }
  }

  @Test func nothingIsOnTheDiskBeforeTheFirstCall() async throws {
    let library = rig.library()
    #expect(!FileManager.default.fileExists(atPath: rig.folder))
    _ = try await library.assets(LibraryRig.all, atMost: 1)
    #expect(FileManager.default.fileExists(atPath: "\(rig.folder)/library.sqlite"))
    await library.close()
    let error = await #expect(throws: CaptureError.self) { try await library.perform([try rig.new()]) }
    #expect(error?.reason == .shuttingDown)
  }
}
