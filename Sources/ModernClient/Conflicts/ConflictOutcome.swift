import Documents
import Gateway
import Storage

/// The revisions that apply a resolution: the server's branch always remains, and the local branch is closed
/// (docs/protocol/modern-2x.md#pushing-a-resolution).
struct ConflictOutcome: Sendable {
    /// The revisions to write in one transaction, in this order.
    let writes: [RevisionWrite]

    /// The document's winner afterwards.
    let result: RevisionID

    /// - Parameters:
    ///   - remote: The server's revision as it was received.
    ///   - history: The history of the server's revision, the newest first.
    ///   - version: The version of the local winner, if it has one.
    /// - Throws: ``DocumentError`` if the merged properties are not a valid document.
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
        if resolution != .remote, let remoteRecord = remote.version, !writes.isEmpty {
            writes[writes.count - 1].version = Self.version(of: resolution == .local ? result : nil, version, remoteRecord)
        }
        if !conflict.local.isDeleted {
            // Clients of 1.x that have the local branch need a tombstone that closes it.
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

    /// The outcome that writes the server's revision alone. Its version covers the local winner's.
    static func taking(_ remote: RevisionWrite, _ history: [RevisionID], beside version: VersionVector? = nil) -> ConflictOutcome {
        var remote = remote
        remote.kind = .replicated(history: history, conflicts: .accept)
        if let remoteRecord = remote.version, let version, !version.contains(remoteRecord.vector.current) {
            remote.version = VersionRecord(revision: remoteRecord.revision, vector: remoteRecord.vector.covering(version))
        }
        return ConflictOutcome(writes: [remote], result: history[0])
    }

    /// The version of the outcome. A local revision keeps its version, extended to cover the server's. A merged revision gets a version
    /// that covers both when it is first announced.
    private static func version(of local: RevisionID?, _ version: VersionVector?, _ remoteRecord: VersionRecord) -> VersionRecord {
        guard let version else { return remoteRecord }
        guard let local, !remoteRecord.vector.contains(version.current) else {
            return version.contains(remoteRecord.vector.current)
                ? remoteRecord : VersionRecord(revision: remoteRecord.revision, vector: remoteRecord.vector.covering(version))
        }
        return VersionRecord(revision: local, vector: version.covering(remoteRecord.vector))
    }

    private static let empty = Array("{}".utf8)

    /// The revision ID that Couchbase Lite would create: all clients with the same resolution create the same ID.
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

    /// The attachments of both sides. If both have an attachment of the same name, the server's counts.
    private static func merged(_ conflict: Conflict, for result: RevisionID) throws -> AttachmentSet? {
        var set = try set(conflict.remote)
        for entry in try attachments(of: conflict, besides: set, for: result)?.entries ?? [] where set[entry.name] == nil {
            set.entries.append(entry)
        }
        return set.isEmpty ? nil : set
    }

    /// The attachments of the local side. An attachment that the server's revision lacks gets the result's generation as its `revpos`: the
    /// local history runs through the server's revision, and a 1.x client with that revision would treat an older `revpos` as an attachment
    /// that it has (`atts_since`).
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
