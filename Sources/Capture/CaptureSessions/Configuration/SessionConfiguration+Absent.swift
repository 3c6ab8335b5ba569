extension SessionConfiguration {
  /// The devices that count as microphones while they are absent, so that nothing says what they are: those after the
  /// first input, unless the configuration asks of them what only a camera has.
  var microphonesIfAbsent: [String] {
    let ids = ConfigurationResolver.inputIDs(self, microphones: [])
    return zip(ids, inputs).dropFirst().filter { !isCamera($1, called: $0) }.map(\.1.deviceID)
  }

  private func isCamera(_ input: Input, called id: String) -> Bool {
    if input.isDerived { return true }
    if input.audioFormat != nil { return false }
    if input.format != nil || input.frameRate != nil || input.deferredStart != nil { return true }
    // Sound comes to an output beside the pictures of a camera, and photos and video data have none.
    let silent = Set([photo?.id ?? "photo"] + videoData.compactMap(\.id))
    return connections.contains { connection in
      connection.input == id
        && (silent.contains(connection.output)
          || !connections.contains { $0.output == connection.output && $0.input != id })
    }
  }
}
