import BLIP

/// How a connection ends from the other side.
enum ConnectionEnd {
    /// The peer closed it.
    case peer
    /// The network failed.
    case lost(any Error)
    /// The peer broke the protocol.
    case violation(BLIPError)
}
