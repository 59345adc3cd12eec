extension ModernSession {
    /// Waits until the client's own pull has brought it what is here, if it pulls.
    func waitForPull(_ handle: CollectionHandle) async throws {
        guard let collection = collections[handle] else { return }
        // This one waits for the client, so it must not keep the socket from being read.
        load.requests -= 1
        load.waitingProposals += 1
        relieved.open()
        defer {
            load.requests += 1
            load.waitingProposals -= 1
        }
        let limit = Task { [timeToPull = limits.timeToPull] in
            // Nothing tells that a client does not pull but that it does not: there is no event to wait for. Cancelled when it pulls.
            try await Task.sleep(for: timeToPull)
            guard let collection = collections[handle], collection.feed == nil else { return }
            collection.pull.giveUp()
            collection.pullBegan.open()
        }
        defer { limit.cancel() }
        while collection.pull.isAwaited, !isEnded {
            if let feed = collection.feed { await feed.change() } else { await collection.pullBegan.wait() }
        }
    }
}
