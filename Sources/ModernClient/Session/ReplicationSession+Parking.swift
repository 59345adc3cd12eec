import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Records a revision's outcome for the list of parked revisions: a success, or a refusal that would recur on each unchanged retry.
    func recordOutcome(
        _ direction: ParkedDirection, _ id: String, _ revision: String, _ error: ReplicatorError?, _ collection: CollectionReplication
    ) {
        guard plan.parking != nil, error != nil || collection.hasParked else { return }
        var outcome = ParkingOutcome(direction, id: id, revision: revision, refusal: error.map { ParkingOutcome.Refusal($0) })
        // This protocol transfers winning revisions only.
        outcome.isOnly = true
        if error != nil { collection.hasParked = true }
        collection.outcomes.append(outcome)
        changed.notifyAll()
    }

    /// Reads whether any revision was parked before.
    func openParking() async throws {
        guard let isUsed = try await plan.parking?.isUsed() else { return }
        for collection in collections { collection.hasParked = isUsed }
    }

    /// The local sequences of the changes that the server has refused.
    func refused(_ collection: CollectionReplication) async throws -> [Int64] {
        guard plan.type.pushes, collection.hasParked, let parking = plan.parking else { return [] }
        return try await parking.refusedSequences(in: collection.keyspace)
    }

    /// Writes recorded outcomes to the list of parked revisions; outcomes that arrive during one transaction share the next.
    func parkRegularly() async {
        do {
            while !isEnded {
                for collection in collections { try await park(collection) }
                while !isEnded, collections.allSatisfy(\.outcomes.isEmpty) { await changed.wait() }
            }
        } catch {
            await fail(error)
        }
    }

    /// Parks the unresolved conflicts of a collection repeatedly, each with a delay.
    func parkConflicts(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded {
                while !isEnded, collection.unparkedConflicts.isEmpty { await changed.wait() }
                guard !isEnded, (try? await clock.sleep(for: replicatorLimits.checkpointInterval)) != nil else { return }
                try await parkUnresolved(collection)
            }
        } catch {
            await fail(error)
        }
    }

    /// Parks changes that the server reports as conflicts with a revision that it has not sent, although the pull has caught up. The login
    /// may lack access to that revision, or it cannot be stored here. The next connection tries again.
    func parkUnresolved(_ collection: CollectionReplication) async throws {
        guard plan.parking != nil, let push = collection.push, collection.pull?.isCaughtUp == true, !collection.isPulling else { return }
        let conflicts = collection.unparkedConflicts
        guard !conflicts.isEmpty else { return }
        let remote = conflicts.reduce(into: [:]) { $0[$1.change.id] = push.remote[$1.change.id] }
        let findings = try await findings(conflicts.map(\.change), remote, collection)
        for (conflict, finding) in zip(conflicts, findings) {
            // A newer change may have replaced this one.
            guard collection.push?.deferred[conflict.change.id]?.change.sequence == conflict.change.sequence else { continue }
            collection.parkedConflicts.insert(conflict.change.sequence)
            switch finding {
            case .awaited, .conflict, .low: parkConflict(conflict.change, collection)
            // The server did not name its revision.
            case .change: if conflict.error != nil { parkConflict(conflict.change, collection) }
            case .unchanged, .refused, .passed: break
            }
        }
    }

    private func parkConflict(_ change: LocalChange, _ collection: CollectionReplication) {
        let error = ReplicatorError(
            .httpConflict,
            "The server has another revision, and does not send it: retry that revision if it is parked, too, or give this replication's login access to the document there"
        )
        recordOutcome(.push, change.id, change.revision.text, error, collection)
    }

    /// Writes all outcomes recorded so far, so that a checkpoint may pass these changes.
    func park(_ collection: CollectionReplication) async throws {
        while collection.isParking { await changed.wait() }
        guard let parking = plan.parking, !collection.outcomes.isEmpty else { return }
        let outcomes = collection.outcomes
        collection.outcomes = []
        collection.isParking = true
        defer {
            collection.isParking = false
            changed.notifyAll()
        }
        do {
            try await parking.note(outcomes, in: collection.keyspace)
        } catch {
            collection.outcomes = outcomes + collection.outcomes
            throw error
        }
    }
}

extension ParkingOutcome.Refusal {
    init(_ error: ReplicatorError) {
        self.init(domain: ReplicatorError.domain, code: error.code.rawValue, reason: error.message)
    }
}
