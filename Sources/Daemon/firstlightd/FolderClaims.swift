internal import Glibc
internal import SystemFiles

/// The daemon's folders, which it holds for itself alone until it ends. Two daemons in one folder would take each
/// other's recordings for those of a crash.
///
/// The folder itself is locked, so that the claim writes nothing. The kernel gives the lock back when the process ends,
/// however it ends.
struct FolderClaims: ~Copyable {
  private var descriptors: [CInt] = []

  /// Claims each folder that exists. The folders of recordings and of the video storage lock themselves, too, when they
  /// are opened, which may be later.
  ///
  /// - Throws: ``ConfigurationProblem`` when another daemon has one of them.
  init(_ folders: DaemonConfiguration.Folders) throws {
    var claimed: Set<[UInt64]> = []
    Descriptor.makeFolders(on: folders.data, permissions: 0o777)
    let named = [
      ("data-dir", folders.data), ("recordings-dir", folders.recordings), ("video-storage-dir", folders.videoStorage),
    ]
    for case (let key, let path?) in named {
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      descriptors.append(descriptor)
      var facts = stat()
      // Two settings may name one folder, which one daemon cannot lock twice.
      guard fstat(descriptor, &facts) == 0, claimed.insert([UInt64(facts.st_dev), UInt64(facts.st_ino)]).inserted else {
        continue
      }
      // A file system that knows no locks must not keep the daemon from serving.
      guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { continue }
      throw ConfigurationProblem(
        description: "Another firstlightd already uses \(path); stop it, or give this one its own folder by \(key).")
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
