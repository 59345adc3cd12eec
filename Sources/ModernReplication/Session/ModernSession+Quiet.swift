import BLIP

extension ModernSession {
    /// Gives back the memory that only a busy connection needs once nothing has gone either way for a while, until the connection ends:
    /// most connections of a fleet are idle most of the time.
    func releaseWhenQuiet() async {
        while !isEnded {
            guard connection.holdsMemory else {
                await busy.wait()
                continue
            }
            let seen = activity
            // Quiet is time in which nothing happens, so there is no event to wait for. Cancelled when the connection ends.
            try? await Task.sleep(for: limits.quietTime)
            guard seen == activity else { continue }
            connection.releaseMemory()
            if awaited.isEmpty { awaited = [:] }
            if wanted.isEmpty { wanted = [] }
        }
    }

    /// Notes that something has come or is about to go.
    func noteActivity() {
        activity += 1
        if connection.holdsMemory { busy.open() }
    }
}
