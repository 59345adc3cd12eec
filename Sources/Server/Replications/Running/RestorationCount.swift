import LegacyReplication

/// Counts how often a server was restored, where each half of a replication finds that for itself: what they find until all of them have caught up again
/// is one restoration.
struct RestorationCount: Sendable {
    private(set) var count = 0
    private var isUnderWay = false

    /// What each half has found before.
    private var found: [Int]
    private var isCaughtUp: [Bool]

    /// The halves that were told to begin anew: as long as they are called idle they have not.
    private var restarting: Set<Int> = []

    init(halves: Int) {
        found = Array(repeating: 0, count: halves)
        isCaughtUp = Array(repeating: false, count: halves)
    }

    mutating func willRestart(_ half: Int) {
        restarting.insert(half)
        isCaughtUp[half] = false
    }

    mutating func heard(_ change: ReplicationChange, ofHalf half: Int) {
        if change.status != .idle { restarting.remove(half) }
        let isIdle = change.status == .idle && !change.isInterrupted && !restarting.contains(half)
        isCaughtUp[half] = isIdle || change.status == .stopped
        if change.restorations > found[half] {
            found[half] = change.restorations
            isCaughtUp[half] = false
            if !isUnderWay { count += 1 }
            isUnderWay = true
        } else if isCaughtUp.allSatisfy({ $0 }) {
            isUnderWay = false
        }
    }
}
