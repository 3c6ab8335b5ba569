import CaptureCore
import CaptureTestKit
import Foundation
import GRDB
import Imaging
import Testing

@testable import PhotoLibrary

/// What a library finishes that another daemon began, and what it cannot open.
@Suite(.timeLimit(.minutes(1))) struct OpenLibraryTests {
  private let rig = LibraryRig()

  private func open() throws -> OpenLibrary { try OpenLibrary(path: rig.folder, logger: rig.logger) }

  /// Opens the library, and closes it when `body` returns.
  private func opened<R>(_ body: (OpenLibrary) throws -> R) throws -> R {
    let library = try open()
    defer { library.close() }
    return try body(library)
  }

  /// The daemon died before the transaction: nothing was acknowledged.
  @Test("K7") func filesWithoutARowGo() throws {
    try opened { library in
      let drafts = try library.write([try rig.new()], pool: rig.pool) { _ in }
      #expect(rig.files(in: "incoming") == Set(drafts[0].resources.map(\.file)))
    }
    try opened { library in
      #expect(rig.files(in: "incoming") == [] && rig.files(in: "contents") == [])
      let usage = try library.database.read { try $0.usage() }
      #expect(usage == LibraryUsage())
    }
  }

  /// The daemon died between the transaction and the move of the files.
  @Test("K7") func filesWithARowMoveToTheirPlace() throws {
    let asset = try opened { library in
      let changes = [try rig.new()]
      let asset = try library.commit(changes, try library.write(changes, pool: rig.pool) { _ in }).added[0]
      for resource in asset.resources {
        let place = "contents/\(resource.file.prefix(2))/\(resource.file)"
        try FileManager.default.moveItem(
          atPath: "\(rig.folder)/\(place)", toPath: "\(rig.folder)/incoming/\(resource.file)")
      }
      // The file can be read where it is.
      _ = try library.contents.open(asset.resources[0].file)
      return asset
    }
    try opened { library in
      #expect(rig.files(in: "incoming") == [])
      #expect(rig.files(in: "contents") == Set(asset.resources.map(\.file)))
      let found = try library.database.read { try $0.asset(asset.id) }
      #expect(found == asset)
    }
  }

  /// The daemon died between the transaction that deletes an asset and the removal of its files.
  @Test func filesOfDeletedAssetsGo() throws {
    let files = try opened { library in
      let changes = [try rig.new()]
      let asset = try library.commit(changes, try library.write(changes, pool: rig.pool) { _ in }).added[0]
      _ = try library.database.change { try $0.delete(asset.id) }
      return Set(asset.resources.map(\.file))
    }
    #expect(rig.files(in: "contents") == files)
    try opened { library in
      #expect(rig.files(in: "contents") == [])
      let removed = try library.database.read { try $0.removedFiles() }
      #expect(removed == [])
    }
  }

  /// A power failure must not take back what was acknowledged, which the defaults of GRDB allow in WAL mode.
  @Test("K7") func aChangeIsOnTheStorageWhenItReturns() throws {
    try opened { library in
      let (synchronous, mode) = try library.database.change { tables in
        (
          try Int.fetchOne(tables.database, sql: "PRAGMA synchronous"),
          try String.fetchOne(tables.database, sql: "PRAGMA journal_mode")
        )
      }
      #expect(synchronous == 2 && mode == "wal")
    }
  }

  @Test func twoDaemonsCannotShareAFolder() throws {
    try opened { _ in
      let error = #expect(throws: CaptureError.self) { try open() }
      #expect(
        error?.message == "Another daemon already uses the photo library \(rig.folder); give each its own folder.")
    }
    try opened { _ in }
  }

  @Test func aDamagedDatabaseIsNotUsed() throws {
    try opened { _ in }
    let database = "\(rig.folder)/library.sqlite"
    try Data(repeating: 65, count: 8192).write(to: URL(filePath: database))
    let error = #expect(throws: CaptureError.self) { try open() }
    #expect(error?.reason == .libraryUnavailable)
    #expect(try Data(contentsOf: URL(filePath: database)) == Data(repeating: 65, count: 8192), "it is left as it was")
  }

  /// A restore that was broken off must not look like a new library, which would lose what is there.
  @Test func photosWithoutADatabaseAreNotANewLibrary() throws {
    let files = try opened { library in
      let changes = [try rig.new()]
      return try library.commit(changes, try library.write(changes, pool: rig.pool) { _ in }).added[0].resources.count
    }
    try FileManager.default.removeItem(atPath: "\(rig.folder)/library.sqlite")
    let error = #expect(throws: CaptureError.self) { try open() }
    #expect(error?.reason == .libraryUnavailable && rig.files(in: "contents").count == files)
    #expect(!FileManager.default.fileExists(atPath: "\(rig.folder)/library.sqlite"))
  }

  /// Whether a change was made whose commit failed, only the log knows. Its files stay until the folder is opened anew.
  @Test("K7") func aCommitThatFailsIsDecidedByOpeningTheFolderAnew() async throws {
    let library = rig.library()
    let kept = try await library.perform([try rig.new()])[0]
    try await failCommits(true, of: library)
    let error = await #expect(throws: CaptureError.self) { try await library.perform([try rig.new()]) }
    #expect(error?.reason == .processingFailed && error?.message.contains("Look whether the change was made") == true)
    #expect(rig.files(in: "incoming").count == 2)
    #expect(try await library.assets(LibraryRig.all, atMost: 10) == [kept])
    #expect(rig.files(in: "incoming") == [])
    try await failCommits(false, of: library)
    #expect(try await library.perform([try rig.new()]).count == 1)
    await library.close()
  }

  /// Makes the database refuse each new asset when its row is committed, or no longer.
  private func failCommits(_ fails: Bool, of library: PhotoLibrary) async throws {
    try await library.read { library throws(CaptureError) in
      try library.database.change { tables in
        let statements = """
          CREATE TABLE missing (asset REFERENCES asset(number) DEFERRABLE INITIALLY DEFERRED);
          CREATE TRIGGER fail AFTER INSERT ON asset BEGIN INSERT INTO missing VALUES (-1); END;
          """
        try tables.database.execute(sql: fails ? statements : "DROP TRIGGER fail; DROP TABLE missing")
      }
    }
  }

  @Test func aDatabaseOfALaterVersionIsNotUsed() throws {
    try opened { library in
      try library.database.change { tables in
        try tables.database.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')")
      }
    }
    let error = #expect(throws: CaptureError.self) { try open() }
    #expect(error?.reason == .libraryUnavailable && error?.message.contains("later version") == true)
  }

  /// No list of a large library looks at each of its assets.
  @Test func listsUseTheIndexes() throws {
    try opened { library in
      let plans = try library.database.read { tables in
        try [
          "captureTime >= 0 AND (captureTime, number) < (5, 5)",
          "captureTime >= 0 AND session = 'a' AND (captureTime, number) < (5, 5)",
          "captureTime >= 0 AND device = 'a' AND (captureTime, number) < (5, 5)",
          "captureTime >= 0 AND session = 'a' AND device = 'a' AND (captureTime, number) < (5, 5)",
        ].map { condition in
          try Row.fetchAll(
            tables.database,
            sql: "EXPLAIN QUERY PLAN SELECT id FROM asset WHERE \(condition) ORDER BY captureTime DESC, number DESC"
          ).map { $0["detail"] as String }.joined(separator: ";")
        }
      }
      for (plan, index) in zip(plans, ["assetByTime", "assetBySession", "assetByDevice", "assetBySessionAndDevice"]) {
        #expect(plan.hasPrefix("SEARCH asset USING INDEX \(index)") && !plan.contains("TEMP B-TREE"), "\(plan)")
      }
    }
  }
}
