/// Makes a failing schedule shorter: leaves out steps as long as it still fails in the same way (delta debugging).
struct Shrinker {
    /// The most runs that are made.
    var maximumRuns = 300

    /// - Parameter fails: whether the schedule breaks the invariant that is looked for.
    /// - Returns: the shortest that was found.
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
