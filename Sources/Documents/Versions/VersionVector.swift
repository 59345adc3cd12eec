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

    /// How this one stands to another.
    public func order(to other: VersionVector) -> VersionOrder {
        switch (contains(other), other.contains(self)) {
        case (true, true): .same
        case (true, false): .newer
        case (false, true): .older
        case (false, false): .conflicting
        }
    }
}

extension VersionVector {
    /// The vector of a revision that follows everything that this one takes in.
    ///
    /// - Parameter version: Newer than every version of its source in here.
    public func child(_ version: Version) -> VersionVector {
        VersionVector(current: version, previous: Self.newest(Array(all), besides: version.source, limit: Self.maximumCount - 1))
    }

    /// The same revision, said to follow all that another vector takes in as well.
    ///
    /// - Precondition: The other does not take in this one's current version.
    public func covering(_ other: VersionVector) -> VersionVector {
        let missing = other.all.filter { !contains($0) }
        guard !missing.isEmpty else { return self }
        let sources = Set(missing.map(\.source))
        // A source stands once besides the current version: where one that is merged is not its newest, all are ancestors like others.
        let keepsMerged = !merged.contains { sources.contains($0.source) }
        let ancestors = previous + missing + (keepsMerged ? [] : merged)
        let limit = Self.maximumCount - 1 - (keepsMerged ? merged.count : 0)
        return VersionVector(
            current: current, merged: keepsMerged ? merged : [],
            previous: Self.newest(ancestors, besides: current.source, limit: max(limit, 0)))
    }

    /// The newest version of each source, the newest first.
    private static func newest(_ versions: [Version], besides source: SourceID, limit: Int) -> [Version] {
        var times: [SourceID: UInt64] = [:]
        for version in versions where version.source != source {
            times[version.source] = max(times[version.source] ?? 0, version.time)
        }
        let sorted = times.map { Version(time: $0.value, source: $0.key) }.sorted {
            $0.time == $1.time ? $0.source.description < $1.source.description : $0.time > $1.time
        }
        return Array(sorted.prefix(limit))
    }
}

/// How two vectors of a document stand to each other.
public enum VersionOrder: Hashable, Sendable {
    case same
    /// The first takes in the second.
    case newer
    /// The second takes in the first.
    case older
    /// Each has something that the other does not know.
    case conflicting
}
