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
        ].map { condition in
          try Row.fetchAll(
            tables.database,
            sql: "EXPLAIN QUERY PLAN SELECT id FROM asset WHERE \(condition) ORDER BY captureTime DESC, number DESC"
          ).map { $0["detail"] as String }.joined(separator: ";")
        }
      }
      for (plan, index) in zip(plans, ["assetByTime", "assetBySession", "assetByDevice"]) {
        #expect(plan.hasPrefix("SEARCH asset USING INDEX \(index)") && !plan.contains("TEMP B-TREE"), "\(plan)")
      }
    }
  }
}
