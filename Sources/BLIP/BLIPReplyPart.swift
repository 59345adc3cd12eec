/// A part of a reply whose body is taken in pieces.
///
/// Give each part back to ``BLIPConnection/acknowledge(_:)`` once its bytes have been taken (written to disk, say): only then does the
/// peer hear that it may send more, so a slow consumer slows the peer down.
public struct BLIPReplyPart: Sendable, Equatable {
    /// The number of the request that this answers.
    public let number: UInt64

    /// The reply's properties, the same in every part.
    public let properties: BLIPProperties

    /// The bytes of the body that follow those of the part before. May be empty.
    public let bytes: [UInt8]

    /// Whether this is the first part.
    public let isFirst: Bool

    /// Whether the body ends here.
    public let isLast: Bool

    /// The bytes received on the wire for this reply up to here, as acknowledgements count them.
    let wireTotal: UInt64
}
