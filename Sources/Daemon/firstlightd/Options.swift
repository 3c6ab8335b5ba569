internal import ArgumentParser

/// The flags that say where clients reach the daemon.
struct AddressOptions: ParsableArguments {
  @Option(help: "Address to listen on, host:port or unix:/path; may be repeated. (default: 127.0.0.1:50051)")
  var listen: [String] = []
  @Option(
    help: "Address of the page, pictures and RPCs by HTTP, host:port or none. (default: 127.0.0.1:8080 if it is free)")
  var httpListen: String?
  @Option(help: "Host name by which clients may call the HTTP server, beside localhost; may be repeated.")
  var httpHosts: [String] = []
  @Option(help: "Origin whose pages may call the daemon by HTTP, such as https://photos.example; may be repeated.")
  var httpOrigins: [String] = []
  @Option(help: "Address where Prometheus gets metrics by HTTP, host:port. (default: none)")
  var metricsListen: String?
  @Option(help: "Unix socket where this user's programs get frames in shared memory. (default: none)")
  var localSocket: String?
}

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

/// The flags of the photo library.
struct LibraryOptions: ParsableArguments {
  @Option(help: "The most bytes of the photo library. (default: no limit but the disk)")
  var libraryQuota: Int?
  @Option(
    help: "What clients on other machines may do with the library: library.add, .read or .write; may be repeated.")
  var networkLibraryPermissions: [String] = []
}

/// The flags that limit how much of the daemon clients may use.
struct LimitOptions: ParsableArguments {
  @Option(help: "The largest request taken, in bytes. (default: 4194304)")
  var maxRequestBytes: Int?
  @Option(help: "The most connections at once. (default: 2048)")
  var maxConnections: Int?
  @Option(help: "The most connections at once from one address. (default: three quarters of all)")
  var maxConnectionsPerAddress: Int?
  @Option(help: "The most calls a second that a connection may open over time; 0 is unlimited. (default: 200)")
  var maxCallsPerSecond: Int?
}
