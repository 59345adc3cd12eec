import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Reads the local feed to its end, and again after each commit. A one-shot push reads until the pull is done and all resolutions that
    /// the push has written are pushed.
    func readLocalFeed(_ index: Int) async {
        let collection = collections[index]
        var isFirst = true
        while !isEnded, !isStopping {
            let (commits, resolutions) = (collection.commits, collection.resolutions)
            let isLast = !plan.isContinuous && !collection.isPulling
            do {
                let found = try await readToEnd(collection, index)
                if isFirst, !found { _ = send(ProposeChanges.request([], collection.properties, subprotocol)) }
            } catch {
                return await fail(error)
            }
            isFirst = false
            collection.isPushCaughtUp = collection.commits == commits
            changed.notifyAll()
            if isLast {
                while !isEnded, !isStopping, collection.resolutions == resolutions, collection.push?.isIdle == false {
                    await changed.wait()
                }
                guard collection.resolutions == resolutions else { continue }
                collection.isPushDone = true
                return changed.notifyAll()
            }
            while !isEnded, !isStopping, collection.commits == commits, plan.isContinuous || collection.isPulling {
                await changed.wait()
            }
        }
    }

    /// - Returns: Whether there was a change to propose.
    private func readToEnd(_ collection: CollectionReplication, _ index: Int) async throws -> Bool {
        var query = ChangesQuery()
        query.limit = replicatorLimits.rowsInProposal
        let ids = collection.configuration.documentIDs
        if !ids.isEmpty { query.documentIDs = Set(ids.map { ExactString($0) }) }
        var hasProposed = false
        while !isEnded, !isStopping, let push = collection.push {
            query.since = FeedPosition(SequenceNumber(push.position))
            let batch = try await collection.keyspace.changes(query)
            let rows = batch.rows.filter { push.isWanted($0.sequence.value, of: $0.id) }
            let remote = push.remote
            let known = remote.isEmpty ? [:] : rows.reduce(into: [:]) { $0[$1.id] = remote[$1.id] }
            let findings = rows.isEmpty ? [] : try await findings(rows, known, collection)
            let proposed = try await add(findings, of: rows, through: batch.position.sequence.value, collection)
            collection.toPropose += proposed
            hasProposed = hasProposed || !proposed.isEmpty
            changed.notifyAll()
            while !isEnded, !isStopping, collection.push?.active.count ?? 0 >= replicatorLimits.changesUnderWay { await changed.wait() }
            guard !batch.isCaughtUp else { break }
        }
        return hasProposed
    }

    /// Examines rows of the local feed.
    private func findings(_ rows: [ChangeRow], _ remote: [String: RevisionName], _ collection: CollectionReplication) async throws
        -> [LocalFinding]
    {
        let isFirstPush = collection.saved.local.end == 0
        guard subprotocol.hasVersions else {
            let reader = LocalChangesReader(remote: remote, isFirstPush: isFirstPush)
            return try await collection.keyspace.read { try reader.read(rows, in: $0) }
        }
        // The versions have to be durable before they are sent.
        let versions = try await collection.keyspace.versions(of: rows)
        let reader = LocalVersionsReader(remote: remote, isFirstPush: isFirstPush)
        return try await collection.keyspace.read { try reader.read(rows, versions, in: $0) }
    }

    /// Re-examines changes with the server's revisions known.
    func findings(_ changes: [LocalChange], _ remote: [String: RevisionName], _ collection: CollectionReplication) async throws
        -> [LocalFinding]
    {
        let hasVersions = subprotocol.hasVersions
        let trees = LocalChangesReader(remote: remote, isFirstPush: false)
        let versions = LocalVersionsReader(remote: remote, isFirstPush: false)
        return try await collection.keyspace.read { snapshot in
            try changes.map { try hasVersions ? versions.read($0, in: snapshot) : trees.read($0, in: snapshot) }
        }
    }

    /// Filters the examined changes, adds them to the push, and resolves conflicts.
    private func add(
        _ findings: [LocalFinding], of rows: [ChangeRow], through position: Int64, _ collection: CollectionReplication
    ) async throws -> [LocalChange] {
        var changes: [LocalChange] = []
        var conflicts: [(LocalChange, RevisionID)] = []
        var awaited: [LocalChange] = []
        var stuck: [LocalChange] = []
        var unchanged: [String] = []
        for (finding, row) in zip(findings, rows) {
            switch finding {
            case .change(let change): if try await isPushed(change, collection) { changes.append(change) }
            case .conflict(let change, let remote): conflicts.append((change, remote))
            // The replacement follows in the feed.
            case .low(let change, let remote): if try await !raise(change, above: remote, collection) { stuck.append(change) }
            case .awaited(let change): awaited.append(change)
            case .unchanged:
                unchanged.append(row.id)
                // An earlier refusal is obsolete, as the server has the winner.
                recordOutcome(.push, row.id, row.revision, nil, collection)
            case .refused(let change, let error):
                collection.pushed.append(ReplicatedDocument(collection: collection.plan.name, id: change.id, error: error))
                recordOutcome(.push, change.id, change.revision.text, error, collection)
            case .passed: break
            }
        }
        let proposed = collection.push?.add(
            changes, conflicted: awaited + stuck + conflicts.map(\.0), unchanged: unchanged, through: position)
        total += proposed?.count ?? 0
        for (change, remote) in conflicts where try await !resolve(change, with: remote, collection) { abandon(change, collection) }
        for change in stuck { abandon(change, collection) }
        return proposed ?? []
    }

    /// Whether the push filter accepts a change.
    private func isPushed(_ change: LocalChange, _ collection: CollectionReplication) async throws -> Bool {
        guard let filter = collection.configuration.pushFilter else { return true }
        guard let content = try await collection.keyspace.read({ try $0.document(change.id)?.content(of: change.revision) }) else {
            return true
        }
        do {
            let document = FilteredDocument(id: change.id, revision: change.revision, body: content.body.properties)
            return try await filter.allows(document, change.isDeleted ? .deleted : [])
        } catch {
            let failure = ReplicatorError(.forbidden, "The push filter failed on \(change.id)", cause: error)
            collection.pushed.append(ReplicatedDocument(collection: collection.plan.name, id: change.id, error: failure))
            recordOutcome(.push, change.id, change.revision.text, failure, collection)
            return false
        }
    }
}
