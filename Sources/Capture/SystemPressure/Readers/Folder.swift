internal import Glibc

/// A folder of small files, such as the kernel's folders below `/sys`. Reading is bounded and always ends, whatever
/// lies in the folder.
struct Folder: ~Copyable {
  private let descriptor: Int32

  init(path: String) throws(ReadFault) {
    try self.init(descriptor: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  private init(descriptor: Int32) throws(ReadFault) {
    guard descriptor >= 0 else { throw ReadFault(errno: errno) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens a folder that not every machine has. Nil where the folder is missing or cannot be opened; any reason other
  /// than a missing folder goes into `faults`.
  static func ifThere(_ path: String, faults: inout [String]) -> Folder? {
    do throws(ReadFault) {
      return try Folder(path: path)
    } catch {
      if !error.isMissing { faults.append("\(path) \(error.text)") }
      return nil
    }
  }

  /// Opens a folder in this one. Follows symbolic links, because thermal zones are links into `/sys/devices`.
  borrowing func folder(_ name: String) throws(ReadFault) -> Folder {
    try Folder(descriptor: openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  /// The names that begin with `prefix` and end with `suffix`, ordered by their numbers; the first `limit` of them.
  borrowing func sortedNames(prefix: String, suffix: String = "", limit: Int) -> [String] {
    Array(names(prefix: prefix).filter { $0.hasSuffix(suffix) }.sorted { $0.isBeforeByLength($1) }.prefix(limit))
  }

  /// The names that begin with `prefix`, in no order. Looks at no more than 4,096 entries.
  borrowing func names(prefix: String) -> [String] {
    // The folder is opened a second time, because `fdopendir` takes over its descriptor and moves the descriptor's
    // offset.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { return [] }
    guard let stream = fdopendir(own) else {
      close(own)
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    for _ in 0..<4096 {
      guard let entry = readdir(stream) else { break }
      // The name is read at its address: an entry is only as long as its name, so that copying the declared 256 bytes
      // would read beyond the entry.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name)!
      let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      if strncmp(name, prefix, prefix.utf8.count) == 0 { names.append(String(cString: name)) }
    }
    return names
  }

  /// The text of a file, without white space around it. Bytes that are not UTF-8 become U+FFFD.
  ///
  /// - Parameter limit: a file of `limit` bytes or more is a fault.
  /// - Throws: ``ReadFault`` when the file cannot be read, is not a regular file, is empty or is too long.
  borrowing func text(_ name: String, limit: Int = 128) throws(ReadFault) -> String {
    // The file is opened without blocking and must be a regular file: a pipe or a device in its place must not hold the
    // thread.
    let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw ReadFault(errno: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ReadFault(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw ReadFault("is not a file") }

    var result = Result<String, ReadFault>.failure(ReadFault("is empty"))
    withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
      var count: Int
      repeat { count = read(file, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
      if count < 0 {
        result = .failure(ReadFault(errno: errno))
      } else if count == buffer.count {
        result = .failure(ReadFault("is too long"))
      } else {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
        let bytes = buffer[..<count].drop(while: isSpace)
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? bytes.startIndex
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        if !text.isEmpty { result = .success(text) }
      }
    }
    return try result.get()
  }

  /// The decimal number in a file.
  ///
  /// - Throws: ``ReadFault`` when the text cannot be read or is not a number.
  borrowing func integer(_ name: String) throws(ReadFault) -> Int {
    let text = try text(name)
    guard let value = Int(text) else { throw ReadFault("is not a number") }
    return value
  }
}

extension Folder {
  /// The text of a file. A fault goes into `faults`, and the result is nil. A missing file that is `optional` is no
  /// fault.
  borrowing func text(_ name: String, optional: Bool = false, faults: inout [String]) -> String? {
    do throws(ReadFault) {
      return try text(name)
    } catch {
      if !(optional && error.isMissing) { faults.append("\(name) \(error.text)") }
      return nil
    }
  }

  /// The decimal number in a file, with the faults of ``text(_:optional:faults:)``. A number outside of `range` is a
  /// fault too.
  borrowing func integer(
    _ name: String, in range: ClosedRange<Int>, optional: Bool = false, faults: inout [String]
  ) -> Int? {
    do throws(ReadFault) {
      let value = try integer(name)
      guard range.contains(value) else { throw ReadFault("is out of range: \(value)") }
      return value
    } catch {
      if !(optional && error.isMissing) { faults.append("\(name) \(error.text)") }
      return nil
    }
  }
}

extension [String] {
  /// The faults in one line; nil when there are none.
  var asFault: String? { isEmpty ? nil : joined(separator: "; ") }
}

extension String {
  /// Whether this name comes before another one by length, and by text among names of the same length, so that `zone2`
  /// comes before `zone10`.
  func isBeforeByLength(_ other: String) -> Bool { (utf8.count, self) < (other.utf8.count, other) }
}
