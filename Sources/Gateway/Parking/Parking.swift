import Documents
import Foundation
import Storage

/// The list of revisions that one side of a replication refuses, each with its reason, so that they do not block other revisions.
///
/// The replication records the results of revisions before its checkpoint passes them. A parked revision is removed from the list when the other
/// side accepts it later, when a newer revision of the document supersedes it, or when the document is purged.
package struct Parking: Sendable {
    /// The maximum stored length of a reason, in bytes.
    private static let reasonLength = 500

    package let database: Database

    /// The replication's name.
    package let replication: String

    package init(_ replication: String, in database: Database) {
        self.replication = replication
        self.database = database
    }

    /// Whether the replication has parked revisions, so that accepted revisions have to be recorded, too.
    package func isUsed() async throws -> Bool {
        var selection = ParkedSelection(replication: replication)
        selection.includesForgotten = true
        return try await database.store.read { [selection] in try !$0.parked(selection, by: .firstRefused, skip: 0, limit: 1).isEmpty }
    }

    /// Whether a revision that was to be pushed from a keyspace is parked.
    package func holdsPush(of id: String, _ revision: String, in snapshot: KeyspaceSnapshot) throws -> Bool {
        try snapshot.store.parked(of: replication, .push, collection: snapshot.keyspace.parkingName, id: id).contains {
            $0.revision == revision
        }
    }

    /// Records the results of revisions; returns when the write is durable.
    package func note(_ notes: [ParkingOutcome], in keyspace: Keyspace) async throws {
        if notes.allSatisfy({ $0.refusal == nil }) {
            guard !notes.isEmpty, try await isUsed() else { return }
        }
        let replication = replication
        let collection = keyspace.parkingName
        let time = Timestamp.now
        try await database.store.write { transaction in
            var refused: [ParkedRevision] = []
            for note in notes {
                let parked = try ParkedDirection.allCases.flatMap {
                    try transaction.parked(of: replication, $0, collection: collection, id: note.id)
                }
                guard !parked.isEmpty || note.refusal != nil else { continue }
                let document = try keyspace.locate(note.id, in: transaction, followingMoves: true)
                for entry in parked where note.overtakes(entry, document) { try transaction.releaseParked(entry.key) }
                // A revision that a newer one has followed since the refusal will not be sent again.
                guard let refusal = note.refusal, !(document?.isDone(note.direction, note.revision, isOnly: note.isOnly) ?? false) else {
                    continue
                }
                refused.append(
                    ParkedRevision(
                        replication: replication, direction: note.direction, collection: collection, id: note.id, revision: note.revision,
                        domain: refusal.domain, code: refusal.code, reason: Self.shortened(refusal.reason), time: time))
            }
            try transaction.park(refused)
        }
    }

    /// Removes entries that will not be sent again:
    ///
    /// - pushes of documents that are not in the keyspace any more, because they were purged, or moved to a place from which they are pushed under
    ///   another name;
    /// - pushes that a newer revision has followed;
    /// - pulls whose revision was received with a later one.
    ///
    /// - Parameter isOnly: Whether the other side has a single branch per document, so that losing branches are not sent.
    package func releaseOvertaken(_ ids: [String], in keyspace: Keyspace, isOnly: Bool) async throws {
        let replication = replication
        try await database.store.write { transaction in
            for id in Set(ids.map { ExactString($0) }) {
                let parked = try ParkedDirection.allCases.flatMap {
                    try transaction.parked(of: replication, $0, collection: keyspace.parkingName, id: id.string)
                }
                guard !parked.isEmpty else { continue }
                let document = try keyspace.locate(id.string, in: transaction, followingMoves: false)
                for entry in parked where document?.isDone(entry.direction, entry.revision, isOnly: isOnly) ?? (entry.direction == .push) {
                    try transaction.releaseParked(entry.key)
                }
            }
        }
    }

    /// Removes the surplus that is only counted, before a full comparison: the comparison finds those revisions again.
    package func beginAnew() async throws {
        let selection = ParkedSelection(replication: replication)
        guard try await database.store.read({ try $0.parkedCount(selection) }) > 0 else { return }
        try await database.store.write { try $0.forgetParkedSurplus(selection) }
    }

    private static func shortened(_ reason: String) -> String {
        reason.utf8.count <= reasonLength ? reason : String(decoding: reason.utf8.prefix(reasonLength), as: UTF8.self) + "…"
    }
}

extension Keyspace {
    /// The key of this keyspace's parked revisions: the collection's name; empty for the unified keyspace.
    package var parkingName: String { scope == .unified ? "" : collectionName.description }
}

extension ParkingOutcome {
    /// Whether this result makes an entry of the same document obsolete.
    fileprivate func overtakes(_ entry: ParkedRevision, _ document: DocumentRecord?) -> Bool {
        guard entry.direction == direction else {
            // A revision from the other side may descend from the document's state there, or have won over the refused revision.
            return entry.direction == .push && refusal == nil && document?.isPending(entry.revision, isOnly: isOnly) == false
        }
        guard entry.revision != revision else { return refusal == nil }
        if isOnly { return true }
        guard let parked = RevisionID(entry.revision) else { return false }
        if ancestors.contains(where: { $0 == parked || $0.modernAlias == parked }) { return true }
        switch direction {
        case .pull: return document?.tree.lookup(modern: parked) != nil
        case .push: return document?.isPending(entry.revision, isOnly: false) != true
        }
    }
}

extension DocumentRecord {
    /// Whether a revision need not be replicated in this direction any more: it is stored here, or a newer revision has followed it.
    fileprivate func isDone(_ direction: ParkedDirection, _ revision: String, isOnly: Bool) -> Bool {
        switch direction {
        case .push: !isPending(revision, isOnly: isOnly)
        case .pull: RevisionID(revision).map { tree.lookup(modern: $0) != nil } ?? false
        }
    }

    /// Whether a revision still has to be pushed: it is a leaf, or the winner.
    ///
    /// - Parameter isOnly: Whether only the winner is pushed.
    fileprivate func isPending(_ revision: String, isOnly: Bool) -> Bool {
        // Versions of 4.x clients stand for the winner.
        guard let id = RevisionID(revision) else { return true }
        guard let node = tree.lookup(modern: id) else { return false }
        return isOnly ? node.id == winner : node.isLeaf
    }
}

extension Parking {
    /// The maximum number of refused revisions in a checkpoint. Further ones count as pushed, which matters only if the server is restored.
    private static var sequencesLimit: Int { 1_000 }

    /// The sequences of the keyspace's refused pushes, sorted, as far as they are still leaves of their documents.
    ///
    /// The checkpoint on the server does not cover these sequences. If the server accepts such a revision later, the revision is offered again
    /// after a restore from a backup that was made in between, and is not lost.
    package func refusedSequences(in keyspace: Keyspace) async throws -> [Int64] {
        var selection = ParkedSelection(replication: replication, direction: .push, collection: keyspace.parkingName)
        selection.includesForgotten = true
        return try await keyspace.read { [selection] snapshot in
            var sequences: Set<Int64> = []
            for entry in try snapshot.store.parked(selection, by: .firstRefused, skip: 0, limit: Self.sequencesLimit) {
                guard let document = try snapshot.document(entry.id), let refused = RevisionID(entry.revision),
                    let node = document.tree.lookup(modern: refused), document.tree.leaves.contains(where: { $0.id == node.id })
                else { continue }
                let record = document.record
                let sequence = snapshot.keyspace.scope == .unified ? record.sequence : record.collectionSequence
                if let sequence { sequences.insert(sequence.value) }
            }
            return sequences.sorted()
        }
    }
}
