extension DocumentCounts {
    /// Counts a document with these flags `step` times.
    mutating func add(_ flags: DocumentFlags, _ step: Int64) {
        if flags.contains(.deleted) { tombstones += step } else { live += step }
        if flags.contains(.conflicted) { conflicted += step }
        if flags.contains(.misplaced) { misplaced += step }
    }
}
