public import CaptureCore
internal import Glibc

/// The place of a file: its open folder, and its name in it.
///
/// No symbolic link on the way is followed, so a link that somebody puts there leads nowhere, also when it comes after
/// somebody has looked.
public struct FilePlace: Sendable {
  /// The folder, which may only be passed through.
  public let folder: Descriptor
  /// The name of the file in the folder.
  public let name: String
  private let path: String
  private let action: String

  /// Opens the folder of a file. Blocks.
  ///
  /// - Parameter action: the beginning of the sentence for the case that the system refuses something.
  /// - Throws: `processingFailed` with the error of the system, which is `ELOOP` or `ENOTDIR` for a link on the way.
  public init(_ path: String, _ action: String) throws(CaptureError) {
    let names = path.split(separator: "/").map(String.init)
    // 0o10000000 is `O_PATH`, which needs no right to list a folder; Swift does not import the macro.
    let flags = 0o10000000 | O_DIRECTORY | O_NOFOLLOW
    var folder = try Descriptor.open(path.hasPrefix("/") ? "/" : ".", flags, action)
    for name in names.dropLast() { folder = try folder.open(name, flags, action) }
    (self.path, self.action, self.folder) = (path, action, folder)
    name = names.last ?? ""
  }

  /// Makes the file, and opens it for writing. Blocks.
  ///
  /// - Throws: `processingFailed` with the error of the system, also when there is a file or a link of that name.
  public func make() throws(CaptureError) -> Descriptor {
    do throws(CaptureError) { return try folder.open(name, O_WRONLY | O_CREAT | O_EXCL, action) } catch {
      var error = error
      error.metadata["file"] = path
      throw error
    }
  }

  /// Removes the file. Blocks.
  public func remove() { folder.remove(name) }
}
