import Documents
import Gateway
import HTTPListener
import LegacyTestSupport
import Storage

@testable import LegacyClient

/// A local database, and one on a server.
struct ReplicationFixture: Sendable {
    let here: Bridge
    let there: RemoteServer
    let clock: ImpatientClock

    init(serverName: String = "Couchbase Sync Gateway/3.2 (Dualgauge)", maximumWaits: Int = 1_000, tls: ReloadableTLS? = nil)
        async throws
    {
        here = try await Bridge()
        there = try await RemoteServer(serverName: serverName, tls: tls)
        clock = ImpatientClock(maximum: maximumWaits)
    }

    func replication(_ direction: ReplicationDirection, url: String? = nil, limits: ReplicationLimits = ReplicationLimits()) throws
        -> Replication
    {
        try Replication(
            direction, localDatabase: here.database.unified, remoteURL: url ?? there.url, limits: limits, clock: clock)
    }

    /// Replicates once.
    @discardableResult
    func run(
        _ direction: ReplicationDirection, limits: ReplicationLimits = ReplicationLimits(), _ change: (Replication) -> Void = { _ in }
    ) async throws -> Replication {
        let replication = try replication(direction, limits: limits)
        change(replication)
        replication.start()
        await replication.waitUntilStopped()
        return replication
    }

    /// Every leaf with its body and attachments, by document.
    static func contents(_ bridge: Bridge) async throws -> [String: [String]] {
        let keyspace = bridge.database.unified
        var query = ChangesQuery()
        query.allLeaves = true
        query.limit = 100_000
        var found: [String: [String]] = [:]
        for row in try await keyspace.changes(query).rows {
            for revision in [row.revision] + row.otherLeaves {
                guard let id = RevisionID(revision) else { continue }
                let content = try await keyspace.read { try $0.document(row.id)?.content(of: id) }
                var text = "\(revision)\(content?.isDeleted == true ? "!" : "") "
                text += "\(content?.history.map(\.text).joined(separator: ",") ?? "") "
                text += String(decoding: content?.body.properties ?? [], as: UTF8.self)
                for entry in try content?.body.attachments.map({ try AttachmentSet($0).entries }) ?? [] {
                    guard let digest = entry.digest, let record = try await keyspace.attachment(digest) else { continue }
                    let length = entry.encoding == nil ? Int(record.length) : entry.length ?? 0
                    text += " \(entry.name):\(record.digest):\(length)"
                }
                found[row.id, default: []].append(text)
            }
        }
        return found
    }

    /// Whether both sides have the same documents, leaves, bodies and attachments.
    func isEqual() async throws -> Bool {
        try await Self.contents(here) == Self.contents(there.bridge)
    }
}

extension Replication {
    /// Waits until a notification fulfils a condition.
    @discardableResult
    func wait(_ condition: @Sendable (ReplicationChange) -> Bool) async -> ReplicationChange {
        for await change in changes() where condition(change) { return change }
        return change
    }
}

extension ReplicationFixture {
    /// Waits until both sides are equal. Compares them after each commit on either side.
    func waitUntilEqual() async throws {
        while try await !isEqual() {
            let here = here.database.unified.follow(), there = there.bridge.database.unified.follow()
            if try await isEqual() { return }
            await withTaskGroup(of: Void.self) { group in
                for subscription in [here, there] {
                    group.addTask {
                        var iterator = subscription.makeAsyncIterator()
                        _ = await iterator.next()
                    }
                }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
