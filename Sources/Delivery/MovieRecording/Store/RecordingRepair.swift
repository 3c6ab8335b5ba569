internal import CaptureCore
internal import Logging
internal import VideoCoding

/// Reads the records when a store opens its folder, and brings them into agreement with the files. Blocks.
///
/// A record that is finished is never changed. It is removed when somebody has removed its file. A recording of which
/// nothing plays never had a file to remove, and its record tells the client why. Nobody waits for the record of a
/// segment whose file is not there, so it is removed.
struct RecordingRepair {
  let folder: RecordingFolder
  /// The path of a file whose movie is in the video storage. Its record stays as it is on the disk, and a file at that
  /// path is somebody else's.
  var movieInVideoStorage: String?
  /// Whether the video storage could be read. Without it nobody knows where an unfinished movie of it is.
  var hasVideoStorage = true
  let logger: Logger

  /// Returns the records, all finished, and the one whose movie is in the video storage as it is on the disk. Logs what
  /// was done in one line, if anything was.
  func run() -> (records: [RecordingRecord], unrepaired: RecordingRecord?) {
    let loaded = folder.records.load()
    var (kept, report): ([RecordingRecord], Report) = ([], Report())
    var unrepaired: RecordingRecord?
    report.add("damaged", loaded.damaged)
    for record in loaded.records {
      if isGone(record) {
        report.add("removed", ["\(record.id) (\(record.file))"] + remove(record))
      } else if record.state == .finished {
        kept.append(record)
      } else if movieInVideoStorage == "\(folder.path)/\(record.file)" {
        kept.append(waiting(record, "Its movie is still in the video storage.", &report))
        unrepaired = record
      } else if record.usesVideoStorage, !hasVideoStorage {
        kept.append(waiting(record, "Its movie may be in the video storage, which cannot be read.", &report))
      } else {
        kept.append(repaired(record, &report))
      }
    }
    if !report.isEmpty {
      logger.log(
        level: report.hasProblems ? .warning : .notice, "The folder of recordings was repaired.",
        metadata: report.metadata(folder.path))
    }
    return (kept, unrepaired)
  }

  /// What clients see of a record that stays as it is on the disk, so that a later start repairs it.
  private func waiting(_ record: RecordingRecord, _ problem: String, _ report: inout Report) -> RecordingRecord {
    report.add("waiting", ["\(record.id) (\(record.file)): \(problem)"])
    var waiting = record.withoutMovie
    waiting.end = .daemonEnded(problem)
    return waiting
  }

  private func repaired(_ record: RecordingRecord, _ report: inout Report) -> RecordingRecord {
    let (finished, problem) = FileRepair(folder: folder).finished(record)
    var problems = [problem].compactMap(\.self)
    do throws(CaptureError) { try folder.records.write(finished) } catch { problems.append(error.message) }
    let name = "\(record.id) (\(record.file)): \(finished.tally.frames) frames"
    if problems.isEmpty {
      report.add("repaired", [name])
    } else {
      report.add("unrepaired", ["\(name). \(problems.joined(separator: " "))"])
    }
    return finished
  }

  /// Whether the file of the record is not there, and the record tells nothing that anybody has to know.
  private func isGone(_ record: RecordingRecord) -> Bool {
    let hadFile = record.state == .finished && record.tally.fileSize > 0
    guard hadFile || record.isSegment,
      let name = try? RecordingFileName(record.file, container: record.container)
    else { return false }
    return folder.has(name) == false
  }

  private func remove(_ record: RecordingRecord) -> [String] {
    do throws(CaptureError) {
      try folder.records.remove(record.id)
      return []
    } catch {
      return [error.message]
    }
  }

  /// What the line in the log says.
  private struct Report {
    private var lists: [String: [String]] = [:]

    var isEmpty: Bool { lists.isEmpty }
    var hasProblems: Bool { lists["unrepaired"] != nil || lists["damaged"] != nil }

    mutating func add(_ list: String, _ texts: [String]) {
      if !texts.isEmpty { lists[list, default: []] += texts }
    }

    /// The lists. Each names at most ten recordings, because a line has an end.
    func metadata(_ folder: String) -> Logger.Metadata {
      var metadata: Logger.Metadata = ["folder.path": "\(folder)"]
      for (list, texts) in lists {
        metadata["recording.\(list)"] = .array(texts.prefix(10).map { .string($0) })
        if texts.count > 10 { metadata["recording.\(list)_count"] = "\(texts.count)" }
      }
      return metadata
    }
  }
}
