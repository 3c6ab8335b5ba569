import Foundation
import Synchronization
import SystemFiles
import Testing

/// Tests how the daemon keeps small files across restarts, and which warnings the operator gets when the daemon cannot
/// write them.
@Suite struct DataFolderTests {
  /// Records the warnings of a folder. Thread-safe.
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

  /// A data folder at `path` below the test's own folder, whose warnings are recorded.
  private func folder(_ path: String, isReadOnly: Bool = false) -> DataFolder {
    let told = told
    return DataFolder(path: root + path, isReadOnly: isReadOnly) { told.add($0) }
  }

  /// The names of the files in `path` below the test's own folder; empty when there is no such folder.
  private func list(_ path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []
  }

  /// A second write replaces the whole file, even a longer one, and leaves no draft behind. Reading gives at most as
  /// many bytes as the caller allows, and nil for a file that does not exist.
  @Test func aFileIsReplacedWithoutLeftovers() {
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

  /// A folder that cannot be written warns once with the reason of the system, however many writes fail, so that the
  /// log does not fill up.
  @Test func aFolderThatCannotBeWrittenWarnsOnce() {
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

  /// A write that fails although the folder could be prepared warns too, and leaves no draft behind.
  @Test func aWriteThatFailsLaterWarnsToo() {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let folder = folder("/data")
    folder.prepare()
    #expect(told.all.isEmpty)
    // A file cannot replace a folder of the same name.
    try? FileManager.default.createDirectory(atPath: root + "/data/file", withIntermediateDirectories: false)
    folder.write("file", [1])
    #expect(told.all.count == 1)
    #expect(list("/data") == ["file"], "no draft is left behind")
  }

  /// A command that looks into the folder of a running daemon reads its files, and neither creates a folder nor writes
  /// a file nor warns.
  @Test func aReadOnlyFolderIsNotWritten() {
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
