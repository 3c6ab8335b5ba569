#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Synchronization

/// The folder where the daemon keeps what has to outlive it: small files that are replaced as a whole. Thread-safe, and its calls
/// block.
///
/// Where the folder cannot be written, everything works for this run only. That is told once, whichever file was the first.
public final class DataFolder: Sendable {
  public let path: String
  private let isReadOnly: Bool
  private let warn: @Sendable (String) -> Void
  private let hasWarned = Mutex(false)

  /// - Parameters:
  ///   - isReadOnly: whether nothing is written, and nothing said of that: for a look at another daemon's folder.
  ///   - warn: told sentences for the operator.
  public init(path: String, isReadOnly: Bool = false, warn: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.isReadOnly = isReadOnly
    self.warn = warn
  }

  /// Makes the folder, and tells at once when it cannot be written.
  public func prepare() {
    guard !isReadOnly else { return }
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      built += "/" + part
      mkdir(built, 0o777)
    }
    // By the dot, what is no folder is told as that.
    if access(path + "/.", W_OK | X_OK) != 0 { tellOnce(errno) }
  }

  /// The first `limit` bytes of a file; nil when there is none, or when it cannot be read.
  public func read(_ name: String, atMost limit: Int) -> [UInt8]? {
    guard let file = fopen("\(path)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { $1 = fread($0.baseAddress, 1, $0.count, file) }
    return ferror(file) == 0 ? bytes : nil
  }

  /// Replaces a file at once or not at all, also when power fails. What cannot be written is told as ``prepare()`` does.
  public func write(_ name: String, _ bytes: [UInt8]) {
    guard !isReadOnly else { return }
    // Beside the file, so that the two are on one file system; of this process, since a folder may be shared by mistake.
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

  /// Leaves the cause in `errno` when it fails.
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
      "The data folder \(path) cannot be written (\(String(cString: strerror(cause)))): what the daemon learns of cameras and of "
        + "this machine is forgotten when it ends. \(remedy)")
  }
}

/// The system call, which the method of the same name hides.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
