import Glibc
import Locking

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
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      built += "/" + part
      mkdir(built, 0o777)
    }
    // The dot at the end makes the check fail for a file that is not a folder, with the error that says so.
    if access(path + "/.", W_OK | X_OK) != 0 { tellOnce(errno) }
  }

  /// Reads the first `limit` bytes of the file `name`; nil when the file does not exist or cannot be read.
  public func read(_ name: String, atMost limit: Int) -> [UInt8]? {
    guard let file = fopen("\(path)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { $1 = fread($0.baseAddress, 1, $0.count, file) }
    return ferror(file) == 0 ? bytes : nil
  }

  /// Replaces the file `name` either completely or not at all, even when the power fails. When the file cannot be
  /// written, the folder warns as ``prepare()`` does.
  public func write(_ name: String, _ bytes: [UInt8]) {
    guard !isReadOnly else { return }
    // The draft lies beside the file, so that both are on one file system and `rename` works. The process id keeps the
    // drafts of two daemons apart that share a folder by mistake.
    let draft = "\(path)/.\(name).\(getpid())"
    guard save(bytes, to: draft), rename(draft, "\(path)/\(name)") == 0 else {
      tellOnce(errno)
      unlink(draft)
      return
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  /// Writes `bytes` to a new file at `path` and syncs the file. On failure, the cause is in `errno`.
  private func save(_ bytes: [UInt8], to path: String) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else { return false }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    let isWhole = rest.isEmpty && fsync(file) == 0
    let cause = errno
    close(file)
    errno = cause
    return isWhole
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

/// The system call `write`, which the method of the same name hides inside the class.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
