/// How far a 2.x+ client has come with a keyspace, as it remembers it itself.
struct ClientCheckpoint: Hashable {
    /// The local sequence up to which everything is pushed.
    var local = 0

    /// The JSON of the server's sequence.
    var remote: String?
}
