import BridgeConfiguration
import Coordination
import Cutover
import Gateway
import LegacyClient
import Logging
import ReplicationService

/// Waits until the pull has what the old server has: a device that is moved has read rows there, and asks for their documents here. A document that is
/// missing is gone for it, because clients of 1.x do not ask again after 404.
struct CatchUp: Sendable {
    /// The pull has made no progress for a long time.
    private struct Stalled: Error, CustomStringConvertible {
        let description: String
    }

    /// The most rows that are read at a time.
    private static let batch = 1_000

    /// The time between two looks at the pull. Its position may advance without a commit, so there is no event to wait for.
    private static let interval = Duration.milliseconds(100)

    /// The time without a response after which the old server cannot be asked.
    private static let patience = Duration.seconds(5)

    /// The time without progress of the pull after which nobody waits longer, as for the place of a device (``UpstreamCheckpoints``).
    private static let stall = Duration.seconds(600)

    let database: Database
    let replications: Replications
    let legacy: String
    let definition: ReplicationDefinition

    /// Returns when the documents of all rows that the old server has now are here.
    ///
    /// - Throws: If the old server cannot be asked, or the pull stands still; `CancellationError`.
    func wait(_ logger: Logger) async throws {
        var asked = definition.directed(.pull)
        asked.maxAttempts = 1
        let reader = try ReplicationBuilder.reader(asked, patience: Self.patience)
        do {
            try await wait(reader, logger)
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
    }

    private func wait(_ reader: LegacyReader, _ logger: Logger) async throws {
        var pulled = try await database.unified.pulledUpstream()
        while true {
            let rows = try await reader.changes(since: pulled.map { String($0) }, limit: Self.batch)
            guard let row = rows.last else { return }
            guard let first = pulled, let last = Self.number(row.sequence) else {
                let isPulled: Void? = try await withTimeout(Self.stall) { try await waitForPull() }
                guard isPulled == nil else { return }
                throw Stalled(description: "the pull does not catch up")
            }
            guard last > first else { return }
            logger.info(
                "moved devices wait until the documents that they may have read at the old server are pulled",
                metadata: ["pulled": "\(first)", "last": "\(last)"])
            var progress = ContinuousClock.now
            while let position = pulled, position < last {
                try await suspend(for: Self.interval)
                pulled = try await database.unified.pulledUpstream()
                if pulled != position { progress = .now }
                guard progress.duration(to: .now) < Self.stall else {
                    throw Stalled(description: "the pull stands still at \(position), before \(last)")
                }
            }
            // Rows of the server's own documents are left out, so a full batch may be shorter. Whether there are more rows is asked once more then, but
            // not each time, because a busy server always has some.
            guard rows.count > Self.batch / 2 else { return }
        }
    }

    /// For an old server whose positions are no numbers (CouchDB): waits until the pull has caught up.
    private func waitForPull() async throws {
        // The rows of this moment are on their way.
        try await suspend(for: .seconds(1))
        while true {
            if case .seconds(0) = await replications.lag(of: legacy) { return }
            try await suspend(for: Self.interval)
        }
    }

    /// The number of a row, after the parts of Sync Gateway's compound positions.
    private static func number(_ sequence: String) -> Int64? {
        sequence.split(separator: ":").last.flatMap { Int64($0) }
    }
}
