import HTTPTypes

extension LegacyRoute {
    /// Everything that the listener serves behind a keyspace.
    public static let table: [LegacyRoute] = [
        LegacyRoute([.get, .head], .keyspace, KeyspaceEndpoint.describe),
        LegacyRoute([.put], .keyspace, KeyspaceEndpoint.create),
        LegacyRoute([.post], .keyspace, DocumentEndpoint.post),
        LegacyRoute([.post], .endpoint("_ensure_full_commit"), KeyspaceEndpoint.ensureFullCommit),
        LegacyRoute([.get, .head, .post], .endpoint("_changes"), ChangesEndpoint.changes),
        LegacyRoute([.post], .endpoint("_revs_diff"), RevsDiffEndpoint.difference),
        LegacyRoute([.post], .endpoint("_bulk_docs"), BulkDocsEndpoint.write),
        LegacyRoute([.post], .endpoint("_bulk_get"), BulkGetEndpoint.read),
        LegacyRoute([.get, .head, .post], .endpoint("_all_docs"), AllDocsEndpoint.list),
        LegacyRoute([.get, .head], .local, LocalEndpoint.get),
        LegacyRoute([.put], .local, LocalEndpoint.put),
        LegacyRoute([.delete], .local, LocalEndpoint.delete),
        LegacyRoute([.get, .head], .design, DocumentEndpoint.get),
        LegacyRoute([.put], .design, for: .administrators, DocumentEndpoint.put),
        LegacyRoute([.delete], .design, for: .administrators, DocumentEndpoint.delete),
        LegacyRoute([.get, .head], .document, DocumentEndpoint.get),
        LegacyRoute([.put], .document, DocumentEndpoint.put),
        LegacyRoute([.delete], .document, DocumentEndpoint.delete),
        LegacyRoute([.get, .head], .attachment, AttachmentEndpoint.get),
        LegacyRoute([.put], .attachment, AttachmentEndpoint.put),
        LegacyRoute([.delete], .attachment, AttachmentEndpoint.delete),
    ]
}
