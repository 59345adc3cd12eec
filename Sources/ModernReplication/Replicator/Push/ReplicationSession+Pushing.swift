import BLIP
import Documents
import Gateway
import Storage

extension ReplicationSession {
    /// Starts what a push needs.
    func beginPush(_ index: Int, _ group: inout DiscardingTaskGroup) {
        // Subscribed before the feed is read, so that no commit falls between.
        let commits = collections[index].keyspace.follow()
        group.addTask { await self.follow(commits, index) }
        group.addTask { await self.readLocalFeed(index) }
        group.addTask { await self.offer(index) }
        guard plan.isContinuous else { return }
        group.addTask { await self.retryDeferred(index) }
        group.addTask { await self.parkConflicts(index) }
    }

    private func follow(_ commits: CommitSubscription, _ index: Int) async {
        for await _ in commits {
            if isEnded { return }
            collections[index].commits += 1
            collections[index].isPushCaughtUp = false
            changed.open()
        }
    }

    /// Reads the local feed to its end, and again when something was committed; a one-shot push until the pull beside it is done, and until nothing is
    /// left of what was resolved in the course of the push.
    private func readLocalFeed(_ index: Int) async {
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
            changed.open()
            if isLast {
                while !isEnded, !isStopping, collection.resolutions == resolutions, collection.push?.isIdle == false {
                    await changed.wait()
                }
                guard collection.resolutions == resolutions else { continue }
                collection.isPushDone = true
                return changed.open()
            }
            while !isEnded, !isStopping, collection.commits == commits, plan.isContinuous || collection.isPulling {
                await changed.wait()
            }
        }
    }

    /// - Returns: Whether there was anything to propose.
    private func readToEnd(_ collection: CollectionReplication, _ index: Int) async throws -> Bool {
        var query = ChangesQuery()
        query.limit = replicationLimits.rowsInProposal
        let ids = collection.configuration.documentIDs
        if !ids.isEmpty { query.documentIDs = Set(ids.map { ExactString($0) }) }
        var hasProposed = false
        while !isEnded, !isStopping, let push = collection.push {
            query.since = FeedPosition(Sequence(push.position))
            let batch = try await collection.keyspace.changes(query)
            let rows = batch.rows.filter { push.isWanted($0.sequence.value, of: $0.id) }
            let remote = push.remote
            let known = remote.isEmpty ? [:] : rows.reduce(into: [:]) { $0[$1.id] = remote[$1.id] }
            let findings = rows.isEmpty ? [] : try await findings(rows, known, collection)
            let proposed = try await take(findings, of: rows, through: batch.position.sequence.value, collection)
            collection.toPropose += proposed
            hasProposed = hasProposed || !proposed.isEmpty
            changed.open()
            while !isEnded, !isStopping, collection.push?.active.count ?? 0 >= replicationLimits.changesUnderWay { await changed.wait() }
            guard !batch.isCaughtUp else { break }
        }
        return hasProposed
    }

    /// What rows of the local feed come to.
    private func findings(_ rows: [ChangeRow], _ remote: [String: RevisionName], _ collection: CollectionReplication) async throws
        -> [LocalFinding]
    {
        let isFirstPush = collection.saved.local.end == 0
        guard subprotocol.hasVersions else {
            let reader = LocalChangesReader(remote: remote, isFirstPush: isFirstPush)
            return try await collection.keyspace.read { try reader.read(rows, in: $0) }
        }
        // They are durable before the server hears of them.
        let versions = try await collection.keyspace.versions(of: rows)
        let reader = LocalVersionsReader(remote: remote, isFirstPush: isFirstPush)
        return try await collection.keyspace.read { try reader.read(rows, versions, in: $0) }
    }

    /// What changes come to that are looked at again, in the light of what the server has.
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

    /// Hands what was found to the push, once the filter has seen it and conflicts are resolved.
    private func take(
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
            // What is written in its place follows in the feed.
            case .low(let change, let remote): if try await !raise(change, above: remote, collection) { stuck.append(change) }
            case .awaited(let change): awaited.append(change)
            case .unchanged:
                unchanged.append(row.id)
                // What the server refused before is overtaken by what it has.
                note(.push, row.id, row.revision, nil, collection)
            case .refused(let change, let error):
                collection.pushed.append(ReplicatedDocument(collection: collection.plan.name, id: change.id, error: error))
                note(.push, change.id, change.revision.text, error, collection)
            case .passed: break
            }
        }
        let proposed = collection.push?.take(
            changes, conflicted: awaited + stuck + conflicts.map(\.0), unchanged: unchanged, through: position)
        total += proposed?.count ?? 0
        for (change, remote) in conflicts where try await !resolve(change, with: remote, collection) { giveUp(change, collection) }
        for change in stuck { giveUp(change, collection) }
        return proposed ?? []
    }

    /// Whether the push filter lets a change pass.
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
            note(.push, change.id, change.revision.text, failure, collection)
            return false
        }
    }

    /// Proposes what was found, looks again at what the server has something else of, and sends what it wants.
    private func offer(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded, !isStopping {
                if !collection.toExamine.isEmpty {
                    try await examine(collection)
                } else if !collection.toPropose.isEmpty, collection.proposalsInFlight < replicationLimits.proposalsInFlight {
                    await propose(collection, index)
                } else if !collection.toSend.isEmpty, collection.bytesInFlight < replicationLimits.bytesAwaitingReply {
                    try await sendRevisions(collection, index)
                } else {
                    await changed.wait()
                }
            }
        } catch {
            await fail(error)
        }
    }

    private func propose(_ collection: CollectionReplication, _ index: Int) async {
        let changes = Array(collection.toPropose.prefix(replicationLimits.rowsInProposal))
        collection.toPropose.removeFirst(changes.count)
        await room()
        let request = ProposeChanges.request(changes, collection.properties, subprotocol)
        if send(request, awaiting: .proposals(changes, collection: index)) != nil { collection.proposalsInFlight += 1 }
    }

    /// Compares documents with the server's revisions of them, which are known now.
    private func examine(_ collection: CollectionReplication) async throws {
        let changes = collection.toExamine
        collection.toExamine = []
        guard let remote = collection.push?.remote else { return }
        let findings = try await findings(changes, changes.reduce(into: [:]) { $0[$1.id] = remote[$1.id] }, collection)
        var results: [(LocalChange, LocalChange?)] = []
        var unresolved: [LocalChange] = []
        for (change, finding) in zip(changes, findings) {
            switch finding {
            case .change(let found): results.append((change, found))
            case .conflict(_, let remote):
                results.append((change, nil))
                if plan.type.pulls, try await !resolve(change, with: remote, collection) { unresolved.append(change) }
            case .low(_, let remote):
                if try await raise(change, above: remote, collection) {
                    if let decisions = collection.push?.superseded(change) { follow(decisions, of: collection) }
                } else {
                    results.append((change, nil))
                    unresolved.append(change)
                }
            case .awaited: results.append((change, nil))
            case .unchanged, .refused, .passed:
                if let decisions = collection.push?.settled(change) { follow(decisions, of: collection) }
            }
        }
        if let decisions = collection.push?.examined(results) { follow(decisions, of: collection) }
        for change in unresolved { giveUp(change, collection) }
    }

    /// A conflict cannot be resolved. Where its revision is parked, it holds up nothing.
    private func giveUp(_ change: LocalChange, _ collection: CollectionReplication) {
        if plan.parking != nil { collection.push?.giveUp(change) }
    }

    private func sendRevisions(_ collection: CollectionReplication, _ index: Int) async throws {
        let changes = collection.toSend.prefix(limits.revisionsInRead)
        let reader = PushedRevisionReader(
            maxHistory: collection.maxHistory, takesDeltas: collection.serverTakesDeltas, takesTrees: collection.serverTakesTrees,
            takesClients: collection.serverTakesClients, properties: collection.properties, maxBytes: limits.bytesInRead)
        let revisions = try await collection.keyspace.read { try reader.read(changes, in: $0) }
        collection.toSend.removeFirst(revisions.count)
        for (change, revision) in zip(changes, revisions) {
            guard let revision else {
                if let decisions = collection.push?.superseded(change) { follow(decisions, of: collection) }
                continue
            }
            await room()
            // The next connection proposes it again.
            guard !isEnded else { return }
            let size = revision.message.body.count
            var change = change
            change.isDelta = revision.savedBytes != nil
            if let saved = revision.savedBytes { deltaCounter.note { $0.noteSent(saving: saved) } }
            guard let number = send(revision.message, awaiting: .revision(change, collection: index, size: size)) else {
                let error = ReplicatorError(.http(413), "The revision of \(change.id) does not fit into a message")
                if let decisions = collection.push?.replied(to: change, error) { follow(decisions, of: collection) }
                continue
            }
            collection.bytesInFlight += size
            // Until the server has answered, it may ask for the revision's attachments.
            permits.grant(revision.attachments, of: revision.id, in: handle(of: collection), until: number)
        }
    }

    // MARK: Replies

    func takeAnswer(_ reply: BLIPMessage, to changes: [LocalChange], of collection: CollectionReplication) throws {
        collection.proposalsInFlight -= 1
        let statuses = try ProposeChanges.statuses(in: reply, count: changes.count)
        if let maxHistory = reply.properties.integer("maxHistory") {
            collection.maxHistory = min(max(maxHistory, 1), ChangesAnswer.longestHistory)
        }
        if plan.usesDeltas, reply.properties.bool("deltas") { collection.serverTakesDeltas = true }
        if reply.properties.bool(TakenAlong.tree) { collection.serverTakesTrees = true }
        if reply.properties.bool(TakenAlong.clients) { collection.serverTakesClients = true }
        if let decisions = collection.push?.answered(changes, statuses) { follow(decisions, of: collection) }
    }

    func takeReply(_ reply: BLIPMessage, to change: LocalChange, size: Int, of collection: CollectionReplication) {
        collection.bytesInFlight -= size
        permits.release(reply.number)
        let error = reply.type == .error ? ReplicatorError(reply, to: "rev of \(change.id)") : nil
        if change.isDelta, error != nil { deltaCounter.note { $0.sentInVain += 1 } }
        if let decisions = collection.push?.replied(to: change, error) { follow(decisions, of: collection) }
    }

    /// Carries out what the push has decided.
    func follow(_ decisions: PushSession.Decisions, of collection: CollectionReplication) {
        collection.toPropose += decisions.propose
        collection.toExamine += decisions.examine
        collection.toSend += decisions.send
        for finished in decisions.finished {
            completed += 1
            let change = finished.change
            // What is tried again by itself is not parked.
            if collection.push?.deferred[change.id] == nil { note(.push, change.id, change.revision.text, finished.error, collection) }
            guard !finished.wasKnown else { continue }
            collection.pushed.append(
                ReplicatedDocument(
                    collection: collection.plan.name, id: change.id, flags: change.isDeleted ? .deleted : [],
                    error: finished.error))
        }
        changed.open()
    }

    /// Tries again, now and then, what the server could not take for the time being.
    private func retryDeferred(_ index: Int) async {
        let collection = collections[index]
        var backoff = ReplicatorBackoff(isContinuous: true)
        while !isEnded {
            while !isEnded, collection.push?.hasTransientFailures != true {
                backoff.reset()
                await changed.wait()
            }
            guard !isEnded, let wait = backoff.next(), (try? await clock.sleep(for: wait)) != nil else { return }
            collection.push?.rewind()
            collection.commits += 1
            collection.isPushCaughtUp = false
            changed.open()
        }
    }
}
