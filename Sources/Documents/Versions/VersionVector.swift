/// Which versions of a document a revision takes in: its own, those that it merges, and the newest that it follows of each source.
///
/// A vector takes in every version of a source up to the one that it names, so one revision follows another if its vector takes in the
/// other's version.
public struct VersionVector: Hashable, Sendable {
    /// The most versions of one vector. With more the oldest are left out, and clients that hold one of these see a conflict.
    public static let maximumCount = 1_000

    /// The version of the revision itself.
    public let current: Version

    /// The versions that the revision merges, if it resolves a conflict. One of them may be of its own source.
    public let merged: [Version]

    /// Versions before it, one a source.
    public let previous: [Version]

    public init(current: Version, merged: [Version] = [], previous: [Version] = []) {
        self.current = current
        self.merged = merged
        self.previous = previous
    }

    /// All versions, the revision's own first.
    public var all: some Sequence<Version> {
        [[current], merged, previous].lazy.joined()
    }

    /// The newest time of a source that it takes in; 0 for none.
    public func time(of source: SourceID) -> UInt64 {
        var newest: UInt64 = 0
        for version in all where version.source == source { newest = max(newest, version.time) }
        return newest
    }

    /// Whether it takes in a version.
    public func contains(_ version: Version) -> Bool {
        time(of: version.source) >= version.time
    }

    /// Whether it takes in all versions of another.
    public func contains(_ other: VersionVector) -> Bool {
        other.all.allSatisfy(contains)
    }
}
