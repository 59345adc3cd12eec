/// What became of documents whose time had come.
public struct ExpirySweep: Sendable, Equatable {
    /// Documents that got a tombstone.
    public internal(set) var deleted = 0

    /// Documents that were forgotten: tombstones, and those whose sync function does not let a tombstone be written.
    public internal(set) var purged = 0

    /// When the next document expires, in milliseconds since 1970; `nil` if none does.
    public internal(set) var next: Int64?

    /// Whether there may be more that are due.
    public internal(set) var isFull = false
}
