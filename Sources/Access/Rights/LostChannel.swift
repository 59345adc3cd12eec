public import Storage

/// A channel that someone could see until it was taken away.
///
/// Who had documents through it has to be told (2.x+ clients since 3.0 as revocations, 1.x clients as removals), also when they come
/// back long afterwards, so what was lost is remembered.
public struct LostChannel: Hashable, Sendable {
    public let channel: String

    /// From which sequence on it could be seen.
    public let granted: Sequence

    /// With which sequence that ended.
    public let lost: Sequence

    public init(channel: String, granted: Sequence, lost: Sequence) {
        self.channel = channel
        self.granted = granted
        self.lost = lost
    }
}
