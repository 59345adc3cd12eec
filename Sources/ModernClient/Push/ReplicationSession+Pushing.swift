import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage
import Telemetry

extension ReplicationSession {
    /// Starts the tasks of a push.
    func beginPush(_ index: Int, _ group: inout DiscardingTaskGroup) {
        // Subscribe before reading the feed, so that no commit is missed.
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
            changed.notifyAll()
        }
    }

    /// Proposes changes, re-examines conflicting ones, and sends the revisions that the server wants.
    private func offer(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded, !isStopping {
                if !collection.toExamine.isEmpty {
                    try await examine(collection)
                } else if !collection.toPropose.isEmpty, collection.proposalsInFlight < replicatorLimits.proposalsInFlight {
                    await propose(collection, index)
                } else if !collection.toSend.isEmpty, collection.bytesInFlight < replicatorLimits.bytesAwaitingReply {
                    let changes = collection.toSend.prefix(limits.revisionsInRead)
                    try await ReplicationBatch.modernPush.traced(revisions: changes.count) {
                        try await send(revisionsOf: changes, collection, index)
                    }
                } else {
                    await changed.wait()
                }
            }
        } catch {
            await fail(error)
        }
    }

    private func propose(_ collection: CollectionReplication, _ index: Int) async {
        let changes = Array(collection.toPropose.prefix(replicatorLimits.rowsInProposal))
        collection.toPropose.removeFirst(changes.count)
        await waitForQueueSpace()
        let request = ProposeChanges.request(changes, collection.properties, subprotocol)
        if send(request, awaiting: .proposals(changes, collection: index)) != nil { collection.proposalsInFlight += 1 }
    }

    /// Compares documents with the server's revisions of them.
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
                if let decisions = collection.push?.foundOnServer(change) { follow(decisions, of: collection) }
            }
        }
        if let decisions = collection.push?.examined(results) { follow(decisions, of: collection) }
        for change in unresolved { abandon(change, collection) }
    }

    /// Completes a change whose conflict cannot be resolved, if it is parked.
    func abandon(_ change: LocalChange, _ collection: CollectionReplication) {
        if plan.parking != nil { collection.push?.abandon(change) }
    }

    private func send(revisionsOf changes: ArraySlice<LocalChange>, _ collection: CollectionReplication, _ index: Int) async throws {
        let reader = PushedRevisionReader(
            maxHistory: collection.maxHistory, takesDeltas: collection.serverAcceptsDeltas, takesTrees: collection.serverAcceptsTrees,
            takesClients: collection.serverAcceptsClients, properties: collection.properties, maxBytes: limits.bytesInRead)
        let revisions = try await collection.keyspace.read { try reader.read(changes, in: $0) }
        collection.toSend.removeFirst(revisions.count)
        for (change, revision) in zip(changes, revisions) {
            guard let revision else {
                if let decisions = collection.push?.superseded(change) { follow(decisions, of: collection) }
                continue
            }
            await waitForQueueSpace()
            // The next connection proposes the change again.
            guard !isEnded else { return }
            let size = revision.message.body.count
            var change = change
            change.isDelta = revision.savedBytes != nil
            if let saved = revision.savedBytes { deltaCounter.update { $0.recordSent(saving: saved) } }
            guard let number = send(revision.message, awaiting: .revision(change, collection: index, size: size)) else {
                let error = ReplicatorError(.http(413), "The revision of \(change.id) does not fit into a message")
                if let decisions = collection.push?.replied(to: change, error) { follow(decisions, of: collection) }
                continue
            }
            collection.bytesInFlight += size
            // Until the server has replied, it may request the revision's attachments.
            permits.grant(revision.attachments, of: revision.id, in: handle(of: collection), until: number)
        }
    }

    func receiveAnswer(_ reply: BLIPMessage, to changes: [LocalChange], of collection: CollectionReplication) throws {
        collection.proposalsInFlight -= 1
        let statuses = try ProposeChanges.statuses(in: reply, count: changes.count)
        if let maxHistory = reply.properties.integer("maxHistory") {
            collection.maxHistory = min(max(maxHistory, 1), ModernHistory.longestLimit)
        }
        if plan.usesDeltas, reply.properties.bool("deltas") { collection.serverAcceptsDeltas = true }
        if reply.properties.bool(CarriedHistory.tree) { collection.serverAcceptsTrees = true }
        if reply.properties.bool(CarriedHistory.clients) { collection.serverAcceptsClients = true }
        if let decisions = collection.push?.answered(changes, statuses) { follow(decisions, of: collection) }
    }

    func receiveReply(_ reply: BLIPMessage, to change: LocalChange, size: Int, of collection: CollectionReplication) {
        collection.bytesInFlight -= size
        permits.release(reply.number)
        let error = reply.type == .error ? ReplicatorError(reply, to: "rev of \(change.id)") : nil
        if change.isDelta, error != nil { deltaCounter.update { $0.sentInVain += 1 } }
        if let decisions = collection.push?.replied(to: change, error) { follow(decisions, of: collection) }
    }

    /// Carries out the decisions of the push.
    func follow(_ decisions: PushSession.Decisions, of collection: CollectionReplication) {
        collection.toPropose += decisions.propose
        collection.toExamine += decisions.examine
        collection.toSend += decisions.send
        for finished in decisions.finished {
            completed += 1
            let change = finished.change
            // Changes with an automatic retry are not parked.
            if collection.push?.deferred[change.id] == nil {
                recordOutcome(.push, change.id, change.revision.text, finished.error, collection)
            }
            guard !finished.wasOnServer else { continue }
            collection.pushed.append(
                ReplicatedDocument(
                    collection: collection.plan.name, id: change.id, flags: change.isDeleted ? .deleted : [],
                    error: finished.error))
        }
        changed.notifyAll()
    }

    /// Retries changes that the server refused temporarily, with increasing waits.
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
            changed.notifyAll()
        }
    }
}
