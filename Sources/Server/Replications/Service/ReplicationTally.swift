/// What became of documents since the process has started, as Sync Gateway counts it.
struct ReplicationTally: Hashable, Sendable {
    /// Pulled, and stored here.
    private(set) var read = 0
    /// Removed here because access to them was lost.
    private(set) var purged = 0
    private(set) var rejectedHere = 0
    /// Pushed, and stored there.
    private(set) var written = 0
    private(set) var rejectedThere = 0
    private(set) var conflicts = 0
    private(set) var failures = 0

    mutating func add(_ outcome: ReplicationOutcome) {
        switch (outcome.isPush, outcome.failure) {
        case (false, nil): if outcome.isAccessRemoved { purged += 1 } else { read += 1 }
        case (false, _?): rejectedHere += 1
        case (true, nil): written += 1
        case (true, let failure?):
            switch failure.status {
            case 401, 403: rejectedThere += 1
            case 409: conflicts += 1
            default: failures += 1
            }
        }
    }
}
