import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import Logging
import SystemClocks
import Testing

@testable import PhotoLibrary

/// A photo library in a temporary folder, which goes with this object, and photos for it.
final class LibraryRig: Sendable {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("library-\(UUID().uuidString)").path
  let pool = FramePool(budget: 64 << 20)
  let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func library(quota: UInt64? = nil) -> PhotoLibrary { PhotoLibrary(folder: folder, quota: quota, logger: logger) }

  /// Opens the library, closes it when `body` returns, and returns the result.
  func withLibrary<R: Sendable>(
    quota: UInt64? = nil, _ body: (PhotoLibrary) async throws -> R
  ) async throws -> R {
    let library = library(quota: quota)
    do {
      let result = try await body(library)
      await library.close()
      return result
    } catch {
      await library.close()
      throw error
    }
  }

  /// A JPEG photo of one colour.
  func jpeg(_ size: Size = Size(width: 640, height: 360), luma: UInt8 = 90) throws -> Picture {
    let layout = try #require(FrameLayout.packed(.grey, size))
    let pixels = buffer(Array(repeating: luma, count: layout.byteCount))
    return try JPEGEncoder(pool: pool).encode(Picture(layout: layout, buffer: pixels), quality: 90)
  }

  /// A photo that the library can neither decode nor scale.
  func heic(bytes: Int = 1000) -> Picture {
    Picture(
      layout: FrameLayout(pixelFormat: .heic, size: Size(width: 640, height: 360), planes: []),
      buffer: buffer(Array(repeating: 7, count: bytes)))
  }

  func buffer(_ bytes: [UInt8]) -> FrameBuffer {
    let memory = pool.take(max(1, bytes.count))!
    memory.bytes.copyBytes(from: bytes)
    return memory.freeze(count: bytes.count)
  }

  func new(
    _ photo: Picture? = nil, session: String = "front", device: String = "usb-1", at seconds: UInt64 = 1_700_000_000
  ) throws -> AssetChange {
    .create(
      NewAsset(
        session: session, device: device, captureTime: WallInstant(nanoseconds: seconds * 1_000_000_000),
        photo: try photo ?? jpeg()))
  }

  /// The names of all files of assets, whether they are in their place or not.
  func files(in part: String) -> Set<String> {
    let root = "\(folder)/\(part)"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
    return Set(names.filter { $0.contains(".") }.map { String($0.split(separator: "/").last!) })
  }

  static let all = AssetFilter(times: .epoch ..< .distantFuture)
}
