import Documents
import Foundation
import Storage

/// Where one replication puts revisions that a side refuses, each with its reason, so that they hold up nothing else.
///
/// The replication notes what became of revisions before its checkpoint passes them. What is parked is taken off the list when it has got
/// through after all, or when it is overtaken: by a newer revision of its document, or because the document is gone.
public struct Parking: Sendable {
    /// Bytes of a reason that are kept.
    private static let reasonLength = 500

    public let database: Database

    /// The replication's name.
    public let replication: String

    public init(_ replication: String, in database: Database) {
        self.replication = replication
        self.database = database
    }

    /// Whether anything of this replication is parked, so that revisions that get through have to be noted, too.
    public func isUsed() async throws -> Bool {
        var selection = ParkedSelection(replication: replication)
        selection.includesForgotten = true
        return try await database.store.read { [selection] in try !$0.parked(selection, by: .firstRefused, skip: 0, limit: 1).isEmpty }
    }

    /// Whether a revision is parked that was to be pushed from a keyspace.
    public func holdsPush(of id: String, _ revision: String, in snapshot: KeyspaceSnapshot) throws -> Bool {
        try snapshot.store.parked(of: replication, .push, collection: snapshot.keyspace.parkingName, id: id).contains {
            $0.revision == revision
        }
    }

    /// Notes what became of revisions; returns when that is durable.
    public func note(_ notes: [ParkingOutcome], in keyspace: Keyspace) async throws {
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
                // What has been followed by something newer since it was refused will not be sent again.
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

    /// Takes pushes off the list that will not be sent again: their documents are no longer in a keyspace, because they were purged, or moved to
    /// where they are pushed by another name; or something newer has followed. So are pulls off the list of which the revision has come with a later one.
    ///
    /// - Parameter isOnly: Whether the other side knows one revision of a document only, so that branches that have lost are not sent.
    public func releaseOvertaken(_ ids: [String], in keyspace: Keyspace, isOnly: Bool) async throws {
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

    /// Everything is going to be compared anew: those of which only the number is kept will be met again.
    public func beginAnew() async throws {
        let selection = ParkedSelection(replication: replication)
        guard try await database.store.read({ try $0.parkedCount(selection) }) > 0 else { return }
        try await database.store.write { try $0.forgetParkedSurplus(selection) }
    }

    private static func shortened(_ reason: String) -> String {
        reason.utf8.count <= reasonLength ? reason : String(decoding: reason.utf8.prefix(reasonLength), as: UTF8.self) + "…"
    }
}

extension Keyspace {
    /// What parked revisions of this keyspace are kept under: the collection's name; empty for the unified keyspace.
    public var parkingName: String { scope == .unified ? "" : collectionName.description }
}

extension ParkingOutcome {
    /// Whether an entry of the same document is of no concern any more.
    fileprivate func overtakes(_ entry: ParkedRevision, _ document: DocumentRecord?) -> Bool {
        guard entry.direction == direction else {
            // What has come from the other side may have followed what it had refused, or won over it.
            return entry.direction == .push && refusal == nil && document?.isStanding(entry.revision, isOnly: isOnly) == false
        }
        guard entry.revision != revision else { return refusal == nil }
        if isOnly { return true }
        guard let parked = RevisionID(entry.revision) else { return false }
        if ancestors.contains(where: { $0 == parked || $0.modernAlias == parked }) { return true }
        switch direction {
        case .pull: return document?.tree.lookup(modern: parked) != nil
        case .push: return document?.isStanding(entry.revision, isOnly: false) != true
        }
    }
}

extension DocumentRecord {
    /// Whether a revision need not go that way any more: it is here, or something newer has followed it.
    fileprivate func isDone(_ direction: ParkedDirection, _ revision: String, isOnly: Bool) -> Bool {
        switch direction {
        case .push: !isStanding(revision, isOnly: isOnly)
        case .pull: RevisionID(revision).map { tree.lookup(modern: $0) != nil } ?? false
        }
    }

    /// Whether a revision is still to be pushed: it is a leaf, or has won.
    ///
    /// - Parameter isOnly: Whether only what has won is pushed.
    fileprivate func isStanding(_ revision: String, isOnly: Bool) -> Bool {
        // Versions of 4.x clients stand for what has won.
        guard let id = RevisionID(revision) else { return true }
        guard let node = tree.lookup(modern: id) else { return false }
        return isOnly ? node.id == winner : node.isLeaf
    }
}

extension Parking {
    /// Of how many refused revisions a checkpoint speaks at most. Those behind count as pushed: only a restored server shows the difference.
    private static var sequencesLimit: Int { 1_000 }

    /// Where the refused pushes of a keyspace stand in its feed, in order, as far as they are still what is to be pushed of their documents.
    ///
    /// A server is not told that it has these. What it takes later, when it is tried again, is then offered to it once more, and is not lost where
    /// the server is restored from a backup that was made between.
    public func refusedSequences(in keyspace: Keyspace) async throws -> [Int64] {
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
