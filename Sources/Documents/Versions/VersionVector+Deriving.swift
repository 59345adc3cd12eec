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
