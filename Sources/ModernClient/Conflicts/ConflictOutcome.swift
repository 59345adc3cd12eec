import Documents
import Gateway
import Storage

/// The revisions that carry a resolution out: the server's branch always stays, and the local one is closed
/// (docs/protocol/modern-2x.md#pushing-a-resolution).
struct ConflictOutcome: Sendable {
    /// To be written in one transaction, in this order.
    let writes: [RevisionWrite]

    /// The revision of the document afterwards.
    let result: RevisionID

    /// - Parameters:
    ///   - local: The local revision that loses its place.
    ///   - remote: The server's revision as it came.
    ///   - version: The version of what is here, if it has one.
    /// - Throws: ``DocumentError`` if the merged properties are no document.
    init(
        _ resolution: ConflictResolver.Resolution, of conflict: Conflict, remote: RevisionWrite, history: [RevisionID],
        beside version: VersionVector? = nil
    ) throws {
        var writes: [RevisionWrite] = []
        switch resolution {
        case .remote:
            writes = Self.taking(remote, history, beside: version).writes
            result = conflict.remote.revision
        case .local:
            result = try Self.child(of: conflict, conflict.local.body, isDeleted: conflict.local.isDeleted)
            let attachments = try Self.attachments(of: conflict, besides: Self.set(conflict.remote), for: result)
            writes.append(
                Self.write(
                    conflict.documentID, [result] + history, isDeleted: conflict.local.isDeleted, body: conflict.local.body, attachments))
        case .merged(let body):
            let document = try ParsedDocument(body, policy: .legacyUpstream)
            result = try Self.child(of: conflict, document.body, isDeleted: false)
            writes.append(
                Self.write(
                    conflict.documentID, [result] + history, isDeleted: false, body: document.body, try Self.merged(conflict, for: result)))
        case .deleted:
            result = try Self.child(of: conflict, Self.empty, isDeleted: true)
            writes.append(Self.write(conflict.documentID, [result] + history, isDeleted: true, body: Self.empty))
        }
        if resolution != .remote, let told = remote.version, !writes.isEmpty {
            writes[writes.count - 1].version = Self.version(of: resolution == .local ? result : nil, version, told)
        }
        if !conflict.local.isDeleted {
            // Clients of 1.x that have the local branch must hear that it is closed.
            let local = conflict.local.revision
            let tombstone =
                resolution == .local
                ? try RevisionDigest.link(local, to: result)
                : try RevisionDigest.syncGateway(parent: local, body: Self.empty, isDeleted: true)
            writes.insert(Self.write(conflict.documentID, [tombstone, local], isDeleted: true, body: Self.empty), at: 0)
        }
        self.writes = writes
    }

    private init(writes: [RevisionWrite], result: RevisionID) {
        self.writes = writes
        self.result = result
    }

    /// The server's revision as it is, and no more. Its version takes in what was here.
    static func taking(_ remote: RevisionWrite, _ history: [RevisionID], beside version: VersionVector? = nil) -> ConflictOutcome {
        var remote = remote
        remote.kind = .replicated(history: history, conflicts: .accept)
        if let told = remote.version, let version, !version.contains(told.vector.current) {
            remote.version = VersionRecord(revision: told.revision, vector: told.vector.covering(version))
        }
        return ConflictOutcome(writes: [remote], result: history[0])
    }

    /// What the outcome is known by. What stood here keeps its version, which takes in the server's from now on; what is made of both gets one that takes in
    /// both when it is shown.
    private static func version(of local: RevisionID?, _ version: VersionVector?, _ told: VersionRecord) -> VersionRecord {
        guard let version else { return told }
        guard let local, !told.vector.contains(version.current) else {
            return version.contains(told.vector.current)
                ? told : VersionRecord(revision: told.revision, vector: told.vector.covering(version))
        }
        return VersionRecord(revision: local, vector: version.covering(told.vector))
    }

    private static let empty = Array("{}".utf8)

    /// The revision that a Couchbase Lite client would make: every client that resolves alike makes the same.
    private static func child(of conflict: Conflict, _ body: [UInt8], isDeleted: Bool) throws -> RevisionID {
        try RevisionDigest.liteCore(parent: conflict.remote.revision, body: body, isDeleted: isDeleted)
    }

    private static func write(
        _ id: String, _ history: [RevisionID], isDeleted: Bool, body: [UInt8], _ attachments: AttachmentSet? = nil
    ) -> RevisionWrite {
        RevisionWrite(
            id: id, kind: .replicated(history: history, conflicts: .accept), isDeleted: isDeleted, body: body, attachments: attachments)
    }

    private static func set(_ side: Conflict.Side) throws -> AttachmentSet {
        try side.attachments.map { try AttachmentSet($0) } ?? AttachmentSet()
    }

    /// Those of both sides; of two with one name the server's.
    private static func merged(_ conflict: Conflict, for result: RevisionID) throws -> AttachmentSet? {
        var set = try set(conflict.remote)
        for entry in try attachments(of: conflict, besides: set, for: result)?.entries ?? [] where set[entry.name] == nil {
            set.entries.append(entry)
        }
        return set.isEmpty ? nil : set
    }

    /// Those of the local side. What the server's revision does not have is set with the result: the history here goes through the server's revision, and a 1.x
    /// client that has this one would take an older `revpos` for an attachment that it has (`atts_since`).
    private static func attachments(of conflict: Conflict, besides remote: AttachmentSet, for result: RevisionID) throws -> AttachmentSet? {
        guard conflict.local.attachments != nil else { return nil }
        var set = try set(conflict.local)
        for index in set.entries.indices {
            let same = remote[set.entries[index].name].flatMap { $0.digest == set.entries[index].digest ? $0.revpos : nil }
            set.entries[index].revpos = same ?? result.generation
        }
        return set
    }
}
