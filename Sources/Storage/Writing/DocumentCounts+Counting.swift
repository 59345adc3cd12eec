extension DocumentCounts {
    /// Counts a document with these flags `step` times.
    mutating func add(_ flags: DocumentFlags, _ step: Int64) {
        if flags.contains(.deleted) { tombstones += step } else { live += step }
        if flags.contains(.conflicted) { conflicted += step }
        if flags.contains(.misplaced) { misplaced += step }
        if flags.contains(.qualified) { qualified += step }
    }

    static func + (a: DocumentCounts, b: DocumentCounts) -> DocumentCounts {
        DocumentCounts(
            live: a.live + b.live, tombstones: a.tombstones + b.tombstones, conflicted: a.conflicted + b.conflicted,
            misplaced: a.misplaced + b.misplaced, qualified: a.qualified + b.qualified)
    }
}
