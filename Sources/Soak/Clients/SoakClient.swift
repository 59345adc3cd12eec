/// A client of a soak.
protocol SoakClient: Sendable {
    /// The kind of client, as the report names it.
    var name: String { get }

    /// The documents that the client follows; `nil` if it follows no feed, or not to its end.
    var followed: Holding? { get }

    /// One life of such a client: until an error, or until the task is cancelled.
    func live() async throws
}

extension SoakClient {
    var followed: Holding? { nil }

    /// Lives again and again until the task is cancelled, as an app does that is connected again.
    func run(in world: World, after delay: Duration) async {
        // All at once is no load that goes on.
        try? await Task.sleep(for: delay)
        while !Task.isCancelled {
            do {
                try await live()
            } catch is CancellationError {
                return
            } catch {
                guard !Task.isCancelled else { return }
                world.note(error, of: name)
            }
            // An app waits before it tries again, too.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 200...1_000)))
        }
    }
}
