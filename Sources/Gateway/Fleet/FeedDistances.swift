import Storage

/// How many documents have changed after each of several positions.
///
/// From the newest position on, only what lies between two is counted, and nothing more once there are enough: however many clients there are,
/// each feed's index is walked once, and at most that far.
struct FeedDistances {
    private var counts: [FeedScope: [Sequence: Int]] = [:]

    init(_ groups: some Swift.Sequence<SightingGroup>, limit: Int, in snapshot: any StoreSnapshot) throws {
        var positions: [FeedScope: Set<Sequence>] = [:]
        for group in groups {
            if let position = group.position { positions[group.scope, default: []].insert(position) }
        }
        for (scope, positions) in positions {
            var count = 0
            var end: Sequence?
            for position in positions.sorted(by: >) {
                if count < limit { count += try snapshot.changeCount(scope, after: position, upTo: end, limit: limit - count) }
                counts[scope, default: [:]][position] = count
                end = position
            }
        }
    }

    subscript(group: SightingGroup) -> Int? {
        group.position.flatMap { counts[group.scope]?[$0] }
    }
}
