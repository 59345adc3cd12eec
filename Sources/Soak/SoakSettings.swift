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
    package var tellMore: @Sendable (String) -> Void = { _ in }

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
