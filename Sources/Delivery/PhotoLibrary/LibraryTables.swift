internal import CaptureCore
internal import GRDB
internal import SystemClocks

/// The rows of the library's database, inside of a read or of a change. All methods block.
struct LibraryTables {
  let database: Database

  /// What the library has. The row is kept with each change, so that nothing has to be counted.
  func usage() throws -> LibraryUsage {
    guard let row = try Row.fetchOne(database, sql: "SELECT assets, bytes FROM usage") else { return LibraryUsage() }
    return LibraryUsage(assets: row[0], bytes: UInt64(bitPattern: row[1]))
  }

  /// The asset with this id.
  ///
  /// - Throws: `assetNotFound`.
  func asset(_ id: String) throws -> Asset {
    guard let row = try Row.fetchOne(database, sql: "\(Self.selection) WHERE id = ?", arguments: [id]) else {
      throw CaptureError.noAsset(id)
    }
    return try asset(row)
  }

  /// The assets behind a place, the newest first.
  func assets(_ filter: AssetFilter, after position: AssetPosition?, atMost limit: Int) throws -> [Asset] {
    var conditions = ["captureTime >= ?"]
    var arguments: StatementArguments = [Self.time(filter.times.lowerBound)]
    // A position is before the end, and SQLite would take the end for its way through the index instead.
    if position == nil, let end = Int64(exactly: filter.times.upperBound.nanoseconds) {
      conditions.append("captureTime < ?")
      arguments += [end]
    }
    if !filter.session.isEmpty {
      conditions.append("session = ?")
      arguments += [filter.session]
    }
    if !filter.device.isEmpty {
      conditions.append("device = ?")
      arguments += [filter.device]
    }
    if let state = filter.state {
      conditions.append("state = ?")
      arguments += [state.rawValue]
    }
    if let position {
      conditions.append("(captureTime, number) < (?, ?)")
      arguments += [Self.time(position.captureTime), Int64(clamping: position.number)]
    }
    let sql = """
      \(Self.selection) WHERE \(conditions.joined(separator: " AND "))
      ORDER BY captureTime DESC, number DESC LIMIT ?
      """
    return try Row.fetchAll(database, sql: sql, arguments: arguments + [limit]).map(asset)
  }

  /// Whether a file of this name belongs to an asset.
  func hasFile(_ name: String) throws -> Bool {
    try Row.fetchOne(database, sql: "SELECT 1 FROM resource WHERE file = ?", arguments: [name]) != nil
  }

  /// The files that belonged to deleted assets, and may still be there.
  func removedFiles() throws -> [String] { try String.fetchAll(database, sql: "SELECT file FROM removedFile") }

  private static let selection =
    "SELECT number, id, state, session, device, captureTime, addTime FROM asset"

  private func asset(_ row: Row) throws -> Asset {
    let number: Int64 = row[0]
    // A page has many assets, so the statement is kept.
    let request = SQLRequest<Row>(
      sql: "SELECT type, encoding, width, height, byteCount, file FROM resource WHERE asset = ?", arguments: [number],
      cached: true)
    let resources = try Row.fetchAll(database, request).map { row in
      guard let type = AssetResource.Kind(rawValue: row[0]), let encoding = AssetEncoding(rawValue: row[1]) else {
        throw CaptureError.unknownRow("resource of asset \(number)")
      }
      return AssetResource(
        type: type, encoding: encoding, size: Size(width: row[2], height: row[3]), byteCount: row[4], file: row[5])
    }
    guard let state = Asset.State(rawValue: row[2]) else { throw CaptureError.unknownRow("asset \(number)") }
    return Asset(
      id: row[1], number: number, state: state, session: row[3], device: row[4],
      captureTime: WallInstant(nanoseconds: row[5]), addTime: WallInstant(nanoseconds: row[6]), resources: resources)
  }

  /// A time after the year 2262 does not fit into the integers of SQLite, which then have their largest value.
  private static func time(_ instant: WallInstant) -> Int64 { Int64(clamping: instant.nanoseconds) }
}

/// What a change does.
extension LibraryTables {
  /// Adds an asset with its files.
  mutating func insert(_ draft: AssetDraft, at addTime: WallInstant) throws -> Asset {
    try database.execute(
      sql: "INSERT INTO asset (id, state, session, device, captureTime, addTime) VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        draft.id, Asset.State.final.rawValue, draft.asset.session, draft.asset.device,
        Self.time(draft.asset.captureTime ?? addTime), Self.time(addTime),
      ])
    let number = database.lastInsertedRowID
    for resource in draft.resources {
      try database.execute(
        sql: "INSERT INTO resource VALUES (?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          number, resource.type.rawValue, resource.encoding.rawValue, resource.size.width, resource.size.height,
          Int64(resource.byteCount), resource.file,
        ])
    }
    let asset = try asset(draft.id)
    try count(1, Int64(asset.byteCount))
    return asset
  }

  /// Takes an asset out, and notes its files for removal.
  ///
  /// - Throws: `assetNotFound`.
  mutating func delete(_ id: String) throws -> Asset {
    let asset = try asset(id)
    for resource in asset.resources {
      try database.execute(sql: "INSERT INTO removedFile VALUES (?)", arguments: [resource.file])
    }
    try database.execute(sql: "DELETE FROM asset WHERE number = ?", arguments: [asset.number])
    try count(-1, -Int64(asset.byteCount))
    return asset
  }

  /// Forgets files that are gone.
  mutating func forget(removed files: [String]) throws {
    for file in files { try database.execute(sql: "DELETE FROM removedFile WHERE file = ?", arguments: [file]) }
  }

  private func count(_ assets: Int, _ bytes: Int64) throws {
    try database.execute(
      sql: "UPDATE usage SET assets = assets + ?, bytes = bytes + ?", arguments: [assets, bytes])
  }
}

/// An asset whose files are on the storage, and which the database does not have yet.
struct AssetDraft {
  let id: String
  let asset: NewAsset
  let resources: [AssetResource]
}

extension CaptureError {
  static func noAsset(_ id: String) -> CaptureError {
    CaptureError(.assetNotFound, "There is no asset \(id.prefix(80)).", metadata: ["asset": String(id.prefix(80))])
  }

  fileprivate static func unknownRow(_ what: String) -> CaptureError {
    CaptureError(
      .libraryUnavailable, "The database of the photo library has an unknown value in the \(what).",
      metadata: ["row": what])
  }
}
