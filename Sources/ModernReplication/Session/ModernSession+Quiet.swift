import BLIP

extension ModernSession {
    /// Notes that something has come or is about to go.
    func noteActivity() {
        activity += 1
        // An idle connection has no such task.
        if quiet == nil, connection.holdsMemory, !isEnded { quiet = Task { await releaseWhenQuiet() } }
    }

    /// Gives back the memory that only a busy connection needs once nothing has gone either way for a while: most connections of a fleet are
    /// idle most of the time.
    private func releaseWhenQuiet() async {
        defer { quiet = nil }
        while !isEnded, connection.holdsMemory {
            let seen = activity
            // Quiet is time in which nothing happens, so there is no event to wait for.
            try? await Task.sleep(for: limits.quietTime)
            guard seen == activity else { continue }
            connection.releaseMemory()
            if awaited.isEmpty { awaited = [:] }
            if wanted.isEmpty { wanted = [] }
        }
    }
}
