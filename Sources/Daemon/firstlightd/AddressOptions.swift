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
