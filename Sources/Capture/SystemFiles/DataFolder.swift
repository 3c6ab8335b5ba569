internal import CaptureCore
internal import Glibc
internal import Locking

/// The folder for data that must outlive the daemon: small files, each of which is replaced as a whole. Thread-safe;
/// the calls block.
///
/// When the folder cannot be written, the daemon works on and forgets the data when it ends. The folder warns of this
/// once, however many files are affected.
public final class DataFolder: Sendable {
  /// The path of the folder.
  public let path: String
  private let isReadOnly: Bool
  private let warn: @Sendable (String) -> Void
  private let hasWarned = Locked(false)

  /// Creates an object for the folder at `path`, without touching the file system.
  ///
  /// - Parameters:
  ///   - isReadOnly: whether to write nothing, and to warn of nothing; for a command that looks into the folder of
  ///     another daemon.
  ///   - warn: called with sentences for the operator.
  public init(path: String, isReadOnly: Bool = false, warn: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.isReadOnly = isReadOnly
    self.warn = warn
  }

  /// Creates the folder and its parents if they do not exist, and warns at once when the folder cannot be written.
  public func prepare() {
    guard !isReadOnly else { return }
    Descriptor.makeFolders(on: path, permissions: 0o777)
    // The dot at the end makes the check fail for a file that is not a folder, with the error that says so.
    if access(path + "/.", W_OK | X_OK) != 0 { tellOnce(errno) }
  }

  /// Reads the first `limit` bytes of the file `name`; nil when the file does not exist or cannot be read.
  public func read(_ name: String, atMost limit: Int) -> [UInt8]? {
    let file = try? Descriptor.open("\(path)/\(name)", O_RDONLY, "")
    return try? file?.read(at: 0, count: limit, "")
  }

  /// Replaces the file `name` either completely or not at all, even when the power fails. When the file cannot be
  /// written, the folder warns as ``prepare()`` does.
  public func write(_ name: String, _ bytes: [UInt8]) {
    guard !isReadOnly else { return }
    do throws(CaptureError) {
      // 0o10000000 is `O_PATH`, which needs no right to list the folder; Swift does not import the macro.
      let folder = try Descriptor.open("\(path)/.", 0o10000000 | O_DIRECTORY, "")
      // The process id keeps the drafts of two daemons apart that share a folder by mistake.
      try folder.replace(name, with: bytes, by: ".\(name).\(getpid())", "")
      // A folder that may not be listed cannot be synced.
      try? folder.open(".", O_RDONLY | O_DIRECTORY, "").sync("")
    } catch {
      tellOnce(error.errorNumber ?? EIO)
    }
  }

  private func tellOnce(_ cause: Int32) {
    let isFirst = hasWarned.withLock { hasWarned in
      defer { hasWarned = true }
      return !hasWarned
    }
    guard isFirst else { return }
    let remedy =
      cause == EACCES || cause == EPERM
      ? "Run `sudo install -d -o \(geteuid()) \(path)`, or name another folder by data-dir."
      : "Name another folder by data-dir."
    warn(
      "The data folder \(path) cannot be written (\(String(cString: strerror(cause)))), so the daemon forgets "
        + "what it learns about cameras and this machine when it ends. \(remedy)")
  }
}
