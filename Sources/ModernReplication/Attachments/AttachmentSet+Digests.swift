import Documents
import Gateway
import Storage

extension AttachmentSet {
    /// The entries with SHA-1 digests throughout: Couchbase Lite 2.x+ knows no attachment by the MD5 that CouchDB gave it.
    func namedBySHA1(in snapshot: KeyspaceSnapshot) throws -> AttachmentSet {
        var set = self
        for (index, entry) in entries.enumerated() {
            guard let digest = entry.digest, digest.algorithm != .sha1, let record = try snapshot.attachment(digest) else { continue }
            set.entries[index].digest = record.digest
        }
        return set
    }
}
