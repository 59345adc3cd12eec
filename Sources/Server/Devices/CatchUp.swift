import BridgeConfiguration
import Coordination
import Cutover
import Documents
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
            let rows = try await reader.changes(since: pulled?.text, limit: Self.batch)
            guard let row = rows.last else { return }
            guard let last = Self.number(row.sequence) else { return try await waitForRows(rows, of: reader, behind: pulled, logger) }
            guard last > pulled?.reached ?? 0 else { return }
            Self.log(from: pulled, to: row, logger)
            var progress = Progress(pulled)
            while pulled?.reached ?? 0 < last { pulled = try await next(&progress, before: row) }
            // Rows of the server's own documents are left out, so a full batch may be shorter. Whether there are more rows is asked once more then, but
            // not each time, because a busy server always has some.
            guard rows.count > Self.batch / 2 else { return }
        }
    }

    /// For an old server whose positions are no numbers (CouchDB), which have no order: waits until the feed behind the pull's position has no row
    /// that it had at the beginning.
    private func waitForRows(
        _ rows: [LegacyChange], of reader: LegacyReader, behind pulled: UpstreamSequence?, _ logger: Logger
    ) async throws {
        guard let row = rows.last else { return }
        Self.log(from: pulled, to: row, logger)
        var progress = Progress(pulled)
        var rows = rows
        // Only all rows up to the feed's end tell which ones are left.
        while rows.count > Self.batch / 2 {
            rows = try await reader.changes(since: next(&progress, before: row)?.text, limit: Self.batch)
        }
        var missing = Set(rows.map(Row.init))
        while !missing.isEmpty {
            let left = try await reader.changes(since: next(&progress, before: row)?.text, limit: Self.batch)
            if left.count <= Self.batch / 2 { missing.formIntersection(left.map(Row.init)) }
        }
    }

    /// A document and its leaves in the old server's feed.
    private struct Row: Hashable {
        let id: ExactString
        let leaves: [String]

        init(_ change: LegacyChange) {
            id = ExactString(change.id)
            leaves = change.revisions.sorted()
        }
    }

    /// The pull's last position, and the time since which it has it.
    private struct Progress {
        var position: UpstreamSequence?
        var time = ContinuousClock.now

        init(_ position: UpstreamSequence?) {
            self.position = position
        }
    }

    /// Waits until the pull has another position.
    private func next(_ progress: inout Progress, before row: LegacyChange) async throws -> UpstreamSequence? {
        while true {
            try await suspend(for: Self.interval)
            let position = try await database.unified.pulledUpstream()
            if position != progress.position {
                progress = Progress(position)
                return position
            }
            guard progress.time.duration(to: .now) < Self.stall else {
                throw Stalled(description: "the pull stands still at \(position?.text ?? "the beginning"), before \(row.sequence)")
            }
        }
    }

    private static func log(from pulled: UpstreamSequence?, to row: LegacyChange, _ logger: Logger) {
        logger.info(
            "moved devices wait until the documents that they may have read at the old server are pulled",
            metadata: ["pulled": "\(pulled?.text ?? "nothing")", "last": "\(row.sequence)"])
    }

    /// The number of a row, after the parts of Sync Gateway's compound positions.
    private static func number(_ sequence: String) -> Int64? {
        sequence.split(separator: ":").last.flatMap { Int64($0) }
    }
}
