internal import CaptureCore
internal import GRDB
internal import Locking
internal import SystemClocks

/// The database of the library: which assets there are, and which files they have. The rows are the truth about the
/// assets, and ``ContentFolder`` has the bytes. Thread-safe; all methods block.
///
/// A change that has returned is on the storage. Reads never wait for a change.
final class LibraryDatabase: Sendable {
  private let pool: DatabasePool
  private let hasFailed = Locked(false)

  /// Whether the disk failed while a change was written, so that nobody knows whether it was made. The log may have the
  /// change, and SQLite takes it from there when the database is opened again.
  var isUnsure: Bool { hasFailed.withLock { $0 } }

  /// Opens the database, makes it if there is none, and brings the tables of an earlier version up to date.
  ///
  /// - Throws: `libraryUnavailable` when the file is no database, is damaged, or is from a later version;
  ///   `processingFailed` when the disk fails.
  init(path: String) throws(CaptureError) {
    pool = try Self.telling {
      var configuration = Configuration()
      configuration.label = "library"
      // The thread that reads, and the one that makes changes and looks at the usage before; more readers would each
      // keep a cache of their own.
      configuration.maximumReaderCount = 2
      let pool = try DatabasePool(path: path, configuration: configuration)
      // In WAL mode, GRDB has SQLite write to the storage only when the log becomes the database, so that a power
      // failure would lose the last changes.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let migrator = LibrarySchema.migrator
      if try pool.read(migrator.hasBeenSuperseded) {
        throw CaptureError(
          .libraryUnavailable,
          "The photo library was made by a later version of the daemon; install that version, or name another data-dir."
        )
      }
      try migrator.migrate(pool)
      return pool
    }
  }

  /// Closes the file, with all changes in it.
  func close() {
    // GRDB closes the connections for reading last, and those cannot write the log into the file.
    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try? pool.close()
  }

  /// Makes several changes, or, when `body` throws, none.
  ///
  /// - Throws: the error of `body`; `diskFull` or `processingFailed` when the disk fails, see ``isUnsure``;
  ///   `libraryUnavailable` when the database is damaged.
  func change<R>(_ body: (inout LibraryTables) throws -> R) throws(CaptureError) -> R {
    var isWriting = false
    do throws(CaptureError) {
      return try Self.telling {
        try pool.write { database in
          var tables = LibraryTables(database: database)
          let result = try body(&tables)
          isWriting = true
          return result
        }
      }
    } catch {
      guard isWriting, error.reason != .diskFull else { throw error }
      hasFailed.withLock { $0 = true }
      throw CaptureError(
        .processingFailed,
        "The disk failed while the photo library wrote a change (\(error.message)). Look whether the change was made "
          + "before you ask for it again.", metadata: error.metadata)
    }
  }

  /// Reads a state between two changes.
  ///
  /// - Throws: as ``change(_:)`` does.
  func read<R>(_ body: (LibraryTables) throws -> R) throws(CaptureError) -> R {
    try Self.telling { try pool.read { try body(LibraryTables(database: $0)) } }
  }

  /// Runs `body`, and turns the errors of the database into those of the daemon.
  private static func telling<R>(_ body: () throws -> R) throws(CaptureError) -> R {
    do { return try body() } catch let error as CaptureError { throw error } catch let error as DatabaseError {
      let cause = error.message ?? "error \(error.resultCode.rawValue)"
      switch error.resultCode {
      case .SQLITE_FULL:
        throw CaptureError(.diskFull, "The disk of the photo library is full; free some space.")
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        throw CaptureError(
          .libraryUnavailable,
          "The database of the photo library is damaged (\(cause)); put back a copy of the folder \"library\" in the "
            + "data-dir.", metadata: ["cause": cause])
      default:
        throw CaptureError(
          .processingFailed, "The database of the photo library cannot be used: \(cause).", metadata: ["cause": cause])
      }
    } catch {
      throw CaptureError(.processingFailed, "The database of the photo library cannot be used.")
    }
  }
}

/// The tables of the database, and how those of earlier versions become those of this one.
enum LibrarySchema {
  /// The migrations. One that was ever released never changes.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("assets") { database in
      // AUTOINCREMENT: the number of a deleted asset never comes again, so that no position in a list means another.
      try database.execute(
        sql: """
          CREATE TABLE asset (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, state INTEGER NOT NULL,
            session TEXT NOT NULL, device TEXT NOT NULL, captureTime INTEGER NOT NULL, addTime INTEGER NOT NULL);
          CREATE INDEX assetByTime ON asset(captureTime, number);
          CREATE INDEX assetBySession ON asset(session, captureTime, number);
          CREATE INDEX assetByDevice ON asset(device, captureTime, number);
          CREATE INDEX assetBySessionAndDevice ON asset(session, device, captureTime, number);
          CREATE TABLE resource (
            asset INTEGER NOT NULL REFERENCES asset(number) ON DELETE CASCADE, type INTEGER NOT NULL,
            encoding TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, byteCount INTEGER NOT NULL,
            file TEXT NOT NULL UNIQUE, PRIMARY KEY (asset, type)) WITHOUT ROWID;
          CREATE TABLE removedFile (file TEXT PRIMARY KEY) WITHOUT ROWID;
          CREATE TABLE usage (key INTEGER PRIMARY KEY CHECK (key = 1), assets INTEGER NOT NULL, bytes INTEGER NOT NULL);
          INSERT INTO usage VALUES (1, 0, 0);
          """)
    }
    return migrator
  }
}

/// How much the library has.
public struct LibraryUsage: Hashable, Sendable {
  /// The number of assets.
  public var assets = 0
  /// The bytes of their files.
  public var bytes: UInt64 = 0
}
