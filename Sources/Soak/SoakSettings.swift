/// Duration, clients and troubles of a soak.
package struct SoakSettings: Sendable {
    /// Duration of the load, without startup and final checks.
    package var duration: Duration

    /// Number of clients, including writers and vanishing clients.
    package var clients: Int

    /// Number of clients that write as fast as possible; `nil` for one in 32.
    package var writers: Int?

    /// Number of additional clients, whose feeds receive no changes.
    package var idle = 0

    /// Determines each client's role and the order of the troubles.
    package var seed: UInt64
    package var troubles: [Trouble]

    /// Longest duration of a trouble.
    package var longestTrouble = Duration.seconds(20)

    /// Path of `samples/cluster/cluster.sh`, for a soak of a cluster; `nil` for a single bridge.
    package var cluster: String?

    /// Path of `dualgauge`.
    package var program: String

    /// Path of the library that injects faults into a single bridge.
    package var library: String

    /// Folder of the stores and logs.
    package var folder: String
    package var bounds = SoakBounds()

    /// Called with each line of progress.
    package var reportProgress: @Sendable (String) -> Void = { _ in }

    /// Called with each error of a client.
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

/// The bounds of a good run. Further rules have no number: no edit is lost or invented, the store passes its check, SIGTERM ends the process.
package struct SoakBounds: Sendable {
    /// Largest resident memory in MiB.
    package var memory = 600

    /// Largest relative growth of memory between the second and the last quarter of a run.
    package var growth = 0.15

    /// 99th percentile of small GETs in calm.
    package var read = Duration.milliseconds(250)

    /// 99th percentile of writes in calm.
    package var write = Duration.seconds(5)

    /// Longest small GET during a trouble in which requests are answered.
    package var worstRead = Duration.seconds(10)

    /// Number of descriptors that may stay open beyond the initial ones: of store readers and of connections to the admin port.
    package var descriptors = 32

    /// Time after the last write until the feeds have delivered everything, and until the descriptors of disconnected clients are closed.
    package var settling = Duration.seconds(60)

    /// Time from SIGTERM to the exit.
    package var ending = Duration.seconds(10)

    package init() {}
}
