/// The length, the clients and the troubles of a soak.
package struct SoakSettings: Sendable {
    /// How long clients are at it, without the time to begin and to judge.
    package var duration: Duration

    /// All clients, writers and vanishing ones included.
    package var clients: Int

    /// Clients that write as fast as they are let; `nil` for one of 32.
    package var writers: Int?

    /// Clients besides, which follow feeds that bring nothing.
    package var idle = 0

    /// Decides each client's part, and the order of the troubles.
    package var seed: UInt64
    package var troubles: [Trouble]

    /// `dualgauge`.
    package var program: String

    /// The library that makes troubles.
    package var library: String

    /// Where the store and the log of the bridge are.
    package var folder: String
    package var bounds = SoakBounds()

    /// Is told of the progress, a line each.
    package var tell: @Sendable (String) -> Void = { _ in }

    /// Is told each error that a client meets.
    package var reportError: @Sendable (String) -> Void = { _ in }

    package init(
        duration: Duration, clients: Int, seed: UInt64, troubles: [Trouble], program: String, library: String, folder: String
    ) {
        self.duration = duration
        self.clients = clients
        self.seed = seed
        self.troubles = troubles
        self.program = program
        self.library = library
        self.folder = folder
    }
}

/// The bounds that the bridge has to keep. Beside them stand rules without a number: no edit is lost or made up, the store is sound, SIGTERM ends the process.
package struct SoakBounds: Sendable {
    /// Resident memory at most, in MiB.
    package var memory = 600

    /// The share by which memory may grow between the second quarter of a run and the last.
    package var growth = 0.15

    /// Ninety-nine of a hundred small GETs are faster while there is no trouble.
    package var read = Duration.milliseconds(250)

    /// Ninety-nine of a hundred writes are faster while there is no trouble.
    package var write = Duration.seconds(5)

    /// Any small GET, whatever the trouble, but where the process was killed.
    package var worstRead = Duration.seconds(10)

    /// Descriptors that may be open besides those from before the clients came: of readers of the store, of connections to the admin port.
    package var descriptors = 32

    /// Until the feeds have told everything after the last write, and until the descriptors of clients that left are closed.
    package var settling = Duration.seconds(60)

    /// From SIGTERM to the end.
    package var ending = Duration.seconds(10)

    package init() {}
}
