/// The versions that a revision includes: its own, the merged ones, and for every other source the newest ancestor.
///
/// A vector includes every version of a source up to the one in the vector. So one revision descends from another if its vector includes
/// the other's version.
package struct VersionVector: Hashable, Sendable {
    /// The maximum number of versions of one vector. The oldest versions beyond it are dropped; clients that have one of these see a conflict.
    package static let maximumCount = 1_000

    /// The version of the revision itself.
    package let current: Version

    /// The versions that the revision merges, if it resolves a conflict. One of them may have the revision's own source.
    package let merged: [Version]

    /// The versions of ancestors, one per source.
    package let previous: [Version]

    package init(current: Version, merged: [Version] = [], previous: [Version] = []) {
        self.current = current
        self.merged = merged
        self.previous = previous
    }

    /// All versions, the revision's own first.
    package var all: some Sequence<Version> {
        [[current], merged, previous].lazy.joined()
    }

    /// The newest included time of a source; 0 if the source does not occur.
    package func time(of source: SourceID) -> UInt64 {
        var newest: UInt64 = 0
        for version in all where version.source == source { newest = max(newest, version.time) }
        return newest
    }

    /// Whether the vector includes a version.
    package func contains(_ version: Version) -> Bool {
        time(of: version.source) >= version.time
    }

    /// Whether the vector includes all versions of another vector.
    package func contains(_ other: VersionVector) -> Bool {
        other.all.allSatisfy(contains)
    }

    /// Compares this vector to another.
    package func order(to other: VersionVector) -> VersionOrder {
        switch (contains(other), other.contains(self)) {
        case (true, true): .same
        case (true, false): .newer
        case (false, true): .older
        case (false, false): .conflicting
        }
    }
}

extension VersionVector {
    /// The vector of a child that includes everything in this vector.
    ///
    /// - Parameter version: The child's version, newer than every version of the same source in this vector.
    package func child(_ version: Version) -> VersionVector {
        VersionVector(current: version, previous: Self.newest(Array(all), besides: version.source, limit: Self.maximumCount - 1))
    }

    /// The vector of the same revision, extended to include everything in another vector.
    ///
    /// - Precondition: The other vector does not include this vector's current version.
    package func covering(_ other: VersionVector) -> VersionVector {
        let missing = other.all.filter { !contains($0) }
        guard !missing.isEmpty else { return self }
        let sources = Set(missing.map(\.source))
        // A source occurs once besides the current version. If a merged version is not its source's newest, all merged ones become ancestors.
        let keepsMerged = !merged.contains { sources.contains($0.source) }
        let ancestors = previous + missing + (keepsMerged ? [] : merged)
        let limit = Self.maximumCount - 1 - (keepsMerged ? merged.count : 0)
        return VersionVector(
            current: current, merged: keepsMerged ? merged : [],
            previous: Self.newest(ancestors, besides: current.source, limit: max(limit, 0)))
    }

    /// The newest version of each source, newest first.
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

/// The relation of two version vectors of a document.
package enum VersionOrder: Hashable, Sendable {
    case same
    /// The first includes the second.
    case newer
    /// The second includes the first.
    case older
    /// Each includes a version that the other lacks.
    case conflicting
}
