import CaptureCore
import Foundation
import Synchronization
import Testing

@Suite struct DataFolderTests {
  /// Keeps what was told.
  private final class Told: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private let root: String
  private let told = Told()

  init() {
    var template = Array("/tmp/data-folder-tests-XXXXXX".utf8CString)
    root = String(cString: mkdtemp(&template)!)
  }

  private func folder(_ path: String, isReadOnly: Bool = false) -> DataFolder {
    let told = told
    return DataFolder(path: root + path, isReadOnly: isReadOnly) { told.add($0) }
  }

  private func list(_ path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []
  }

  @Test func aFileIsReplacedAsAWhole() {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let folder = folder("/a/b")
    folder.prepare()
    #expect(folder.read("file", atMost: 100) == nil)
    folder.write("file", Array(repeating: 1, count: 100_000))
    folder.write("file", [1, 2, 3])
    #expect(folder.read("file", atMost: 100) == [1, 2, 3])
    #expect(folder.read("file", atMost: 2) == [1, 2])
    #expect(list("/a/b") == ["file"], "no draft is left behind")
    #expect(told.all.isEmpty)
  }

  @Test func whatCannotBeWrittenIsToldOnce() {
    defer { try? FileManager.default.removeItem(atPath: root) }
    _ = FileManager.default.createFile(atPath: root + "/file", contents: nil)
    let folder = folder("/file/data")
    folder.prepare()
    folder.write("one", [1])
    folder.write("two", [2])
    #expect(told.all.count == 1)
    #expect(told.all[0].hasPrefix("The data folder \(root)/file/data cannot be written (Not a directory)"))
    #expect(folder.read("one", atMost: 1) == nil)
  }

  @Test func aWriteThatFailsLaterIsToldToo() {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let folder = folder("/data")
    folder.prepare()
    #expect(told.all.isEmpty)
    // A name that is a folder cannot be replaced by a file.
    try? FileManager.default.createDirectory(atPath: root + "/data/file", withIntermediateDirectories: false)
    folder.write("file", [1])
    #expect(told.all.count == 1)
    #expect(list("/data") == ["file"], "no draft is left behind")
  }

  @Test func anotherDaemonsFolderIsOnlyLookedAt() {
    defer { try? FileManager.default.removeItem(atPath: root) }
    folder("").write("file", [7])
    let looked = folder("/absent", isReadOnly: true)
    looked.prepare()
    looked.write("file", [1])
    #expect(list("") == ["file"])
    #expect(folder("", isReadOnly: true).read("file", atMost: 10) == [7])
    #expect(told.all.isEmpty)
  }
}
