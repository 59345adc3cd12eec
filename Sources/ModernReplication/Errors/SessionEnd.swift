import BLIP

/// How a connection comes to its end.
enum SessionEnd {
    /// The peer has closed, or the connection has broken.
    case peer
    /// The peer does not speak BLIP as it has to: close with the code that says so.
    case violation(BLIPError)
    /// Trouble on this side: drop the connection, and the client will come back.
    case trouble
}
