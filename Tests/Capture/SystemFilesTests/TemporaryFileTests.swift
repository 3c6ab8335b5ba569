import Foundation
import SystemFiles
import Testing

struct TemporaryFileTests {
  @Test func theBytesAreWhereTheyWereWrittenAndTheFileHasNoName() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "delayed-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try TemporaryFile(in: folder.path)
    try [UInt8]([1, 2, 3]).withUnsafeBytes { try file.write($0, at: 100) }
    #expect(file.size == 103)
    #expect(try file.read(at: 99, count: 4) == [0, 1, 2, 3])
    #expect(throws: (any Error).self) { try file.read(at: 101, count: 3) }
    file.cut(to: 50)
    #expect(file.size == 50)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func aFolderThatCannotBeMadeIsAnError() {
    #expect(throws: (any Error).self) { try TemporaryFile(in: "/proc/nothing") }
  }
}
