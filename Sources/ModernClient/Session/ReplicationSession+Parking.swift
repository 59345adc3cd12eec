import Documents
import Gateway
import ModernProtocol
import Storage

extension ReplicationSession {
    /// Notes what became of a revision: it got through, or will be refused each time it is sent as it is.
    func note(
        _ direction: ParkedDirection, _ id: String, _ revision: String, _ error: ReplicatorError?, _ collection: CollectionReplication
    ) {
        guard plan.parking != nil, error != nil || collection.hasParked else { return }
        var note = ParkingOutcome(direction, id: id, revision: revision, refusal: error.map { ParkingOutcome.Refusal($0) })
        // This protocol speaks of winning revisions alone.
        note.isOnly = true
        if error != nil { collection.hasParked = true }
        collection.notes.append(note)
        changed.open()
    }

    /// Finds out whether anything was parked before.
    func openParking() async throws {
        guard let isUsed = try await plan.parking?.isUsed() else { return }
        for collection in collections { collection.hasParked = isUsed }
    }

    /// The sequences of what the server has refused.
    func refused(_ collection: CollectionReplication) async throws -> [Int64] {
        guard plan.type.pushes, collection.hasParked, let parking = plan.parking else { return [] }
        return try await parking.refusedSequences(in: collection.keyspace)
    }

    /// Writes the list of parked revisions, what has come together meanwhile with one transaction.
    func parkRegularly() async {
        do {
            while !isEnded {
                for collection in collections { try await park(collection) }
                while !isEnded, collections.allSatisfy(\.notes.isEmpty) { await changed.wait() }
            }
        } catch {
            await fail(error)
        }
    }

    /// Notes some time after they came about, again and again, the conflicts of a collection that nobody resolves.
    func parkConflicts(_ index: Int) async {
        let collection = collections[index]
        do {
            while !isEnded {
                while !isEnded, collection.unparkedConflicts.isEmpty { await changed.wait() }
                guard !isEnded, (try? await clock.sleep(for: replicationLimits.checkpointInterval)) != nil else { return }
                try await noteConflicts(collection)
            }
        } catch {
            await fail(error)
        }
    }

    /// Notes what the server takes for a conflict with a revision of its own, which it has not sent although it has sent all that it has: the
    /// login may not see it, or it cannot be kept here. The next connection tries again.
    func noteConflicts(_ collection: CollectionReplication) async throws {
        guard plan.parking != nil, let push = collection.push, collection.pull?.isCaughtUp == true, !collection.isPulling else { return }
        let conflicts = collection.unparkedConflicts
        guard !conflicts.isEmpty else { return }
        let remote = conflicts.reduce(into: [:]) { $0[$1.change.id] = push.remote[$1.change.id] }
        let findings = try await findings(conflicts.map(\.change), remote, collection)
        for (conflict, finding) in zip(conflicts, findings) {
            // Meanwhile something newer may have come.
            guard collection.push?.deferred[conflict.change.id]?.change.sequence == conflict.change.sequence else { continue }
            collection.parkedConflicts.insert(conflict.change.sequence)
            switch finding {
            case .awaited, .conflict, .low: noteConflict(conflict.change, collection)
            // Which one the server has it did not say.
            case .change: if conflict.error != nil { noteConflict(conflict.change, collection) }
            case .unchanged, .refused, .passed: break
            }
        }
    }

    private func noteConflict(_ change: LocalChange, _ collection: CollectionReplication) {
        let error = ReplicatorError(
            .httpConflict,
            "The server has another revision, and does not send it: is it parked, too? Else let this replication's login see the document there"
        )
        note(.push, change.id, change.revision.text, error, collection)
    }

    /// Returns when all that was refused so far is on the list, so that a checkpoint may pass it.
    func park(_ collection: CollectionReplication) async throws {
        while collection.isParking { await changed.wait() }
        guard let parking = plan.parking, !collection.notes.isEmpty else { return }
        let notes = collection.notes
        collection.notes = []
        collection.isParking = true
        defer {
            collection.isParking = false
            changed.open()
        }
        do {
            try await parking.note(notes, in: collection.keyspace)
        } catch {
            collection.notes = notes + collection.notes
            throw error
        }
    }
}

extension ParkingOutcome.Refusal {
    init(_ error: ReplicatorError) {
        self.init(domain: ReplicatorError.domain, code: error.code.rawValue, reason: error.message)
    }
}
