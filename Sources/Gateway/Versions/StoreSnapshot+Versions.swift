import Storage

extension StoreSnapshot {
    /// The version that a write has to follow; `nil` for one that comes without, so that it costs such writes nothing.
    func version(for write: RevisionWrite, of document: DocumentRecord?) throws -> VersionRecord? {
        guard let key = document?.key else { return nil }
        if case .versioned = write.kind { return try version(of: key) }
        return write.version == nil ? nil : try version(of: key)
    }
}
