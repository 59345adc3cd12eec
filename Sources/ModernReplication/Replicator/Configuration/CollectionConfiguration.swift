extension ReplicatorConfiguration {
    /// How one collection is replicated.
    public struct CollectionConfiguration: Sendable {
        /// Only documents of these channels are pulled; all that the user may see if empty. Sync Gateway only.
        public var channels: [String] = []

        /// Only these documents are replicated; all if empty.
        public var documentIDs: [String] = []

        /// Which local documents are pushed.
        public var pushFilter: ReplicationFilter?

        /// Which documents of the server are taken. It also sees, and may keep here, those to which access was lost.
        public var pullFilter: ReplicationFilter?

        /// What becomes of a document that was changed on both sides.
        public var conflictResolver = ConflictResolver.default

        public init() {}
    }
}
