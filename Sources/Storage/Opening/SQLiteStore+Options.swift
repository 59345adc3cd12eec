extension SQLiteStore {
    /// How a store is opened.
    public struct Options: Sendable {
        /// Whether a store that is not there is created.
        public var createsIfMissing = true

        /// Whether nothing of the store is changed: its schema stays as it is, and every write fails. Nothing is created either.
        public var isReadOnly = false

        /// How many snapshots can be read at a time; more readers wait for their turn.
        public var readerCount = 4

        /// Bytes of page cache of the one writer.
        public var writerCache = 8 << 20

        /// Bytes of page cache of each reader.
        public var readerCache = 2 << 20

        /// Pages of 4 KiB after which the write-ahead log is copied into the database. Documents come under random IDs, so the more pages
        /// are copied at once, the more often one page has been changed more than once.
        public var checkpointPages = 32_000

        /// Seconds to wait for another process that is writing.
        public var busyTimeout = 10.0

        /// How often other processes' commits are looked for while somebody waits for one.
        public var pollInterval = Duration.milliseconds(300)

        /// The most callers whose work shares a commit.
        public var groupLimit = 256

        /// How long a group takes in more work, so that no caller waits long for its commit.
        public var groupTime = Duration.milliseconds(25)

        /// The most pages that the file may have; `nil` for no limit. Writes beyond it fail as on a full disk.
        public var maximumPages: Int?

        public init() {}
    }
}
