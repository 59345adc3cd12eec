/// The flags of a frame but for its type, which is in the lowest three bits (docs/protocol/modern-2x.md#flags).
struct FrameFlags: OptionSet {
    let rawValue: UInt8

    /// The payload is deflated.
    static let compressed = FrameFlags(rawValue: 0x08)
    /// The message goes before those that are not urgent.
    static let urgent = FrameFlags(rawValue: 0x10)
    /// The request wants no reply.
    static let noReply = FrameFlags(rawValue: 0x20)
    /// The message goes on in another frame.
    static let moreComing = FrameFlags(rawValue: 0x40)
}
