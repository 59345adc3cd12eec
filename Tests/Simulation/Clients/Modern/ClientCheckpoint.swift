/// A 2.x+ client's own checkpoint of a keyspace.
struct ClientCheckpoint: Hashable {
    /// The local sequence up to which everything is pushed.
    var local = 0

    /// The JSON of the server's sequence.
    var remote: String?
}
