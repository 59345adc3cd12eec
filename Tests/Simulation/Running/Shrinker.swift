/// Shortens a failing schedule: it leaves out steps as long as the schedule fails in the same way (delta debugging).
struct Shrinker {
    /// The maximal number of runs.
    var maximumRuns = 300

    /// - Parameter fails: Whether the schedule breaks the same invariant.
    /// - Returns: The shortest failing schedule that was found.
    func shrink(_ schedule: Schedule, while fails: (Schedule) async throws -> Bool) async rethrows -> Schedule {
        var best = schedule
        var runs = 0
        var size = max(1, schedule.operations.count / 2)
        while true {
            var index = 0
            var hasShrunk = false
            while index < best.operations.count, runs < maximumRuns {
                var candidate = best
                candidate.operations.removeSubrange(index..<min(index + size, candidate.operations.count))
                runs += 1
                if try await fails(candidate) {
                    best = candidate
                    hasShrunk = true
                } else {
                    index += size
                }
            }
            guard runs < maximumRuns, size > 1 || hasShrunk else { return best }
            size = max(1, size / 2)
        }
    }
}
