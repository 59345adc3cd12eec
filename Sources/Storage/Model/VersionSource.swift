/// By which the versions that are made here are known, over a stretch of the store's life: from the beginning, or from a backup's restoring on.
public struct VersionSource: Sendable, Hashable {
    /// 16 bytes; those of the UUID at the beginning.
    public let id: [UInt8]

    /// It counts for what was written behind this sequence.
    public let since: Sequence

    /// When the newest of what it counts for, and was not lost, was written, in milliseconds since 1970; `nil` as long as it counts.
    public let end: Int64?
}
