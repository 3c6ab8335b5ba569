internal import ArgumentParser

/// The flags that name the folders of the daemon.
struct FolderOptions: ParsableArguments {
  @Option(help: "Where the daemon keeps its files. (default: /var/lib/firstlight)")
  var dataDir: String?
  @Option(help: "Where the daemon keeps recordings. (default: recordings in --data-dir)")
  var recordingsDir: String?
  @Option(help: "Where the video storage is, on ext4 or XFS. (default: video-storage in --data-dir)")
  var videoStorageDir: String?
  @Option(help: "Bytes of the video storage. (default: what SetVideoStorageCapacity set last, or none)")
  var videoStorageCapacity: Int?
  @Option(help: "Root of the heat and load readers. (default: /sys)")
  var sysfsRoot: String?
  @Option(help: "Root of the readers of waiting tasks. (default: /proc)")
  var procfsRoot: String?
}
