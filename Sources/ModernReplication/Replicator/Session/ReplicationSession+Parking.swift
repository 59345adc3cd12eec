import Gateway
import Storage

extension ReplicationSession {
    /// Notes what became of a revision: it got through, or will be refused each time it is sent as it is.
    func note(
        _ direction: ParkedDirection, _ id: String, _ revision: String, _ error: ReplicatorError?, _ collection: CollectionReplication
    ) {
        guard plan.parking != nil, error != nil || collection.hasParked else { return }
        var note = ParkingNote(direction, id: id, revision: revision, refusal: error.map { ParkingNote.Refusal($0) })
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

extension ParkingNote.Refusal {
    init(_ error: ReplicatorError) {
        self.init(domain: ReplicatorError.domain, code: error.code.rawValue, reason: error.message)
    }
}
