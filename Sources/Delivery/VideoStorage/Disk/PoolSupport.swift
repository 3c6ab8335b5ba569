internal import CDirectIO
internal import CaptureCore
internal import Glibc
internal import SystemFiles

/// Tells whether a folder can hold a storage whose writes do not stall. Blocks.
///
/// Two file systems are known to write a block again where it is, past the page cache: ext4 and XFS. Others write each
/// block to a new place (Btrfs, ZFS), are in memory, or are behind a process or a network.
enum PoolSupport {
  /// Why the folder cannot hold a storage; nil when it can. The folder need not exist yet, and nothing is left in it.
  ///
  /// Only what the file system is decides. A disk that is full or may not be written now can hold a storage, and its
  /// error comes when the storage is used.
  ///
  /// - Parameter tries: whether a file is made and forgotten. A storage that exists has shown what this would show.
  static func refusal(of path: String, tries: Bool = true) -> String? {
    var names = path.split(separator: "/").map(String.init)
    let root = path.hasPrefix("/") ? "/" : "./"
    while true {
      let existing = root + names.joined(separator: "/")
      do throws(CaptureError) {
        return refusal(of: try Descriptor.open(existing, O_RDONLY | O_DIRECTORY, ""), existing, tries)
      } catch {
        guard error.errorNumber == ENOENT, !names.isEmpty else { return nil }
      }
      names.removeLast()
    }
  }

  private static func refusal(of folder: Descriptor, _ path: String, _ tries: Bool) -> String? {
    let type = cdirectio_file_system(folder.number)
    guard type == CDIRECTIO_EXT4 || type == CDIRECTIO_XFS else {
      return "The file system of \(path) (type 0x\(String(type, radix: 16))) does not write blocks in place; name a "
        + "folder on ext4 or XFS by video-storage-dir."
    }
    guard tries else { return nil }
    let file = cdirectio_open_unnamed(folder.number)
    guard file >= 0 else { return sentence(path, "takes no direct writes", -file) }
    defer { close(file) }
    return sentence(path, "allocates no space ahead", -cdirectio_allocate(file, UInt64(AlignedBytes.block)))
  }

  /// The sentence for an error that says what the file system is; nil for success, and for any other error.
  static func sentence(_ path: String, _ what: String, _ number: Int32) -> String? {
    guard number == EOPNOTSUPP || number == EINVAL else { return nil }
    return "The folder \(path) \(what) (\(String(cString: strerror(number)))); name another one by video-storage-dir."
  }
}
