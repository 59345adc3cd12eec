import Access
import Documents
import Storage

/// What becomes of the version that a revision comes with.
extension RevisionWriter {
    func checkVersion(of write: RevisionWrite, after last: VersionRecord?) throws {
        guard case .versioned(let made) = write.kind else { return }
        try VersionKeeper(transaction, in: database).check(made, of: write.id, after: last)
    }

    func keepVersion(of write: RevisionWrite, as revision: RevisionID, in document: DocumentRecord, after last: VersionRecord?)
        throws
    {
        let keeper = VersionKeeper(transaction, in: database)
        if case .versioned(let made) = write.kind {
            try keeper.keep(made, of: revision, in: document, after: last)
        } else if let told = write.version {
            try keeper.take(told, of: document, after: last)
        }
    }

    /// The revision is here already, and may have had no version, or another one. To give it one takes a right to write, which was not asked for. What
    /// its own database remembers, everybody may say.
    func takeVersion(of write: RevisionWrite, as revision: RevisionID, in document: DocumentRecord, after last: VersionRecord?)
        throws
    {
        let isTrusted = keyspace.principal.isAdministrator
        let keeper = VersionKeeper(transaction, in: database)
        if case .versioned(let made) = write.kind, let key = document.key {
            if isTrusted { try keeper.take(VersionRecord(revision: revision, vector: made.history.vector), of: document, after: last) }
            try keeper.note(made, of: key)
        } else if isTrusted, let told = write.version {
            try keeper.take(told, of: document, after: last)
        }
    }

    /// A server's revision that has the content of the one here which it names as the last before versions: it is that one, by its version.
    func naming(_ write: RevisionWrite, _ document: DocumentRecord) throws -> RevisionWrite {
        guard case .versioned(var made) = write.kind, made.isNaming, made.tree.isEmpty, let last = made.history.legacy.first,
            last == document.winner || last == document.winner.modernAlias,
            write.isDeleted == document.flags.contains(.deleted), write.attachmentBytes.isEmpty,
            let body = try transaction.body(of: document.winner, in: document), body.properties == write.body,
            try body.attachments == resolver.resolve(write, of: document)?.json
        else { return write }
        made.tree = [document.winner]
        var named = write
        named.kind = .versioned(made)
        return named
    }
}
