import Storage

extension StoreSnapshot {
    /// The version that a write has to follow; `nil` for one that comes without, so that it costs such writes nothing.
    func version(for write: RevisionWrite, of document: DocumentRecord?) throws -> VersionRecord? {
        guard case .versioned = write.kind, let key = document?.key else { return nil }
        return try version(of: key)
    }
}
