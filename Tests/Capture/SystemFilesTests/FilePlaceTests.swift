import CaptureCore
import Foundation
import SystemFiles
import Testing

/// Files that are made below a folder in which somebody may have put links.
struct FilePlaceTests {
  private let folder = PlaceFolder()
  private let manager = FileManager.default

  private func makeFolders(_ names: String...) throws {
    for name in names { try manager.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true) }
  }

  private func make(_ name: String) throws(CaptureError) {
    _ = try FilePlace(folder.path(name), "The file cannot be made").make()
  }

  @Test func aFileIsMadeAndRemoved() throws {
    try makeFolders("a/b")
    try make("a/b/movie")
    #expect(folder.has("a/b/movie"))
    #expect(throws: CaptureError.self) { try make("a/b/movie") }
    let place = try FilePlace(folder.path("a/b/movie"), "The file cannot be made")
    place.remove()
    #expect(!folder.has("a/b/movie"))
  }

  @Test func aLinkOnTheWayIsNotFollowed() throws {
    try makeFolders("outside", "a")
    try manager.createSymbolicLink(atPath: folder.path("a/b"), withDestinationPath: folder.path("outside"))
    #expect(throws: CaptureError.self) { try make("a/b/movie") }
    #expect(try manager.contentsOfDirectory(atPath: folder.path("outside")).isEmpty)
  }

  @Test func aLinkInThePlaceOfTheFileIsNotFollowed() throws {
    try makeFolders("outside", "a")
    try manager.createSymbolicLink(atPath: folder.path("a/movie"), withDestinationPath: folder.path("outside/movie"))
    #expect(throws: CaptureError.self) { try make("a/movie") }
    #expect(!folder.has("outside/movie"))
  }

  /// The folder is open, so it does not matter what its name leads to later.
  @Test func aLinkThatComesInBetweenLeadsNowhere() throws {
    try makeFolders("outside", "a/b")
    let place = try FilePlace(folder.path("a/b/movie"), "The file cannot be made")
    try manager.moveItem(atPath: folder.path("a/b"), toPath: folder.path("a/c"))
    try manager.createSymbolicLink(atPath: folder.path("a/b"), withDestinationPath: folder.path("outside"))
    _ = try place.make()
    #expect(folder.has("a/c/movie"))
    #expect(!folder.has("outside/movie"))
  }
}

/// A folder of one test, which goes with this object.
private final class PlaceFolder: Sendable {
  private let path = FileManager.default.temporaryDirectory.appending(path: "place-\(UUID().uuidString)").path

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}
