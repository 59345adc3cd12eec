extension ReplicationError {
    /// What kind of failure it is. `rawValue` is an HTTP status, a code that Couchbase Lite 1.x has beside them, or one of
    /// `NSURLErrorDomain`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let badRequest = Code(rawValue: 400)
        public static let unauthorized = Code(rawValue: 401)
        public static let forbidden = Code(rawValue: 403)
        public static let notFound = Code(rawValue: 404)
        public static let methodNotAllowed = Code(rawValue: 405)
        public static let notAcceptable = Code(rawValue: 406)
        public static let timeout = Code(rawValue: 408)
        public static let conflict = Code(rawValue: 409)
        public static let preconditionFailed = Code(rawValue: 412)
        public static let tooLarge = Code(rawValue: 413)
        public static let unsupportedType = Code(rawValue: 415)
        public static let unavailable = Code(rawValue: 503)

        /// The metadata or the bytes of an attachment cannot be right (`kCBLStatusBadAttachment`).
        public static let badAttachment = Code(rawValue: 491)

        /// The server's answer cannot be used (`kCBLStatusUpstreamError`).
        public static let upstream = Code(rawValue: 589)

        /// The server's database is not what it was: restored from a backup, or another one in its place. A code of our own.
        public static let serverRestored = Code(rawValue: 588)

        /// The store here has failed (`kCBLStatusDBError`).
        public static let database = Code(rawValue: 590)

        /// A filter has failed (`kCBLStatusCallbackError`).
        public static let callback = Code(rawValue: 593)

        /// The URL is none of a database.
        public static let badURL = Code(rawValue: -1000)

        /// The server did not answer in time.
        public static let timedOut = Code(rawValue: -1001)

        /// No connection to the server came about.
        public static let cannotConnect = Code(rawValue: -1004)

        /// The connection was lost in the middle of something.
        public static let connectionLost = Code(rawValue: -1005)

        /// TLS failed.
        public static let untrusted = Code(rawValue: -1202)
    }

    /// Whether the same request may succeed soon: the statuses that Couchbase Lite for iOS (429 among them) and Java (408) take so, whatever
    /// befalls a connection (docs/protocol/legacy-1x.md#retries-of-couchbase-lite), and all answers that are not the server's own.
    public var isTransient: Bool {
        switch code.rawValue {
        case 408, 429, 500, 502, 503, 504: true
        default: isOffline || code == .connectionLost || origin == .intermediary
        }
    }

    /// Whether the server cannot be reached at all.
    public var isOffline: Bool { code == .cannotConnect || code == .timedOut }
}
