import Documents

extension AttachmentSet {
    /// The entries as a client takes them that knows blobs by the body alone: it drops those that stand for blobs, and would keep one
    /// that it cannot follow, as an attachment more. Such a one gets a name by which it is dropped, too. One whose digest is another
    /// than its blob's stays: somebody has changed the attachment since.
    ///
    /// The entry cannot be left out instead: LiteCore takes every blob for missing whose digest is not among the entries.
    func namedForLiteCore(_ body: [UInt8]) throws -> AttachmentSet {
        var set = self
        for (index, entry) in entries.enumerated() {
            guard let standIn = BlobStandIn(name: entry.name), !standIn.isFoundByLiteCore, let digest = entry.digest,
                try standIn.digest(in: body) == digest
            else { continue }
            set.entries[index].name = standIn.numberedName
        }
        return set
    }
}
