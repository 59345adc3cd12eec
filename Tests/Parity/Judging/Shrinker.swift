/// Removes as much of a history as possible while it still fails.
struct Shrinker {
    /// The maximal number of smaller histories to try.
    var budget = 120

    mutating func shrink(_ history: History, _ fails: (History) async throws -> Bool) async throws -> History {
        var history = history
        var size = max(1, history.steps.count / 2)
        while size > 0, budget > 0 {
            history = try await withoutSteps(history, size, fails)
            size /= 2
        }
        return try await withoutParts(history, fails)
    }

    private mutating func attempt(_ history: History, _ fails: (History) async throws -> Bool) async throws -> Bool {
        guard budget > 0 else { return false }
        budget -= 1
        return try await fails(history)
    }

    private mutating func withoutSteps(
        _ history: History, _ size: Int, _ fails: (History) async throws -> Bool
    ) async throws -> History {
        var history = history
        var end = history.steps.count
        while end > 0 {
            var smaller = history
            smaller.steps.removeSubrange(max(0, end - size)..<end)
            if try await attempt(smaller, fails) { history = smaller }
            end = min(end - size, history.steps.count)
        }
        return history
    }

    /// Removes documents of batches, and clients without steps.
    private mutating func withoutParts(_ history: History, _ fails: (History) async throws -> Bool) async throws -> History {
        var history = history
        for index in history.steps.indices {
            for smaller in Self.simpler(history.steps[index].step) {
                var candidate = history
                candidate.steps[index].step = smaller
                if try await attempt(candidate, fails) {
                    history = candidate
                    break
                }
            }
        }
        let used = Set(
            history.steps.compactMap { numbered -> String? in
                switch numbered.step {
                case .pull(let client, _), .open(let client): client
                default: nil
                }
            })
        history.clients.removeAll { !used.contains($0.name) }
        return history
    }

    private static func simpler(_ step: Step) -> [Step] {
        guard case .write(let write) = step, write.edits.count > 1 else { return [] }
        var steps: [Step] = write.edits.map { edit in
            var single = write
            single.edits = [edit]
            return .write(single)
        }
        for index in write.edits.indices {
            var shorter = write
            shorter.edits.remove(at: index)
            steps.append(.write(shorter))
        }
        return steps
    }
}
