extension ReplicationError {
    /// The kind of error. `rawValue` is an HTTP status, an additional code of Couchbase Lite 1.x, or a code of `NSURLErrorDomain`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number of the code.
        public let rawValue: Int

        /// Creates a code, such as a status without a name here.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        private init(_ known: Known) {
            rawValue = known.rawValue
        }

        /// The closed form of the code, for exhaustive translations; `nil` for numbers without a name here, such as most HTTP statuses.
        package var known: Known? { Known(rawValue: rawValue) }

        /// The server cannot read the request or the document.
        public static let badRequest = Code(.badRequest)
        /// The server requires a login, or refuses the given one.
        public static let unauthorized = Code(.unauthorized)
        /// The user has no access, or the sync function refuses the document.
        public static let forbidden = Code(.forbidden)
        /// The database or the document does not exist.
        public static let notFound = Code(.notFound)
        /// The server does not know this request.
        public static let methodNotAllowed = Code(.methodNotAllowed)
        /// The server has no suitable form of response.
        public static let notAcceptable = Code(.notAcceptable)
        /// The server waited too long for the request.
        public static let timeout = Code(.timeout)
        /// The revision conflicts with one on the server.
        public static let conflict = Code(.conflict)
        /// The server lacks an attachment of the document, or the database exists already.
        public static let preconditionFailed = Code(.preconditionFailed)
        /// The document is too large for the receiving side.
        public static let tooLarge = Code(.tooLarge)
        /// The server does not accept this type of body.
        public static let unsupportedType = Code(.unsupportedType)
        /// The server is overloaded or offline.
        public static let unavailable = Code(.unavailable)

        /// The metadata or the bytes of an attachment are invalid (`kCBLStatusBadAttachment`).
        public static let badAttachment = Code(.badAttachment)

        /// The server's response cannot be used (`kCBLStatusUpstreamError`).
        public static let upstream = Code(.upstream)

        /// The server's database was restored from a backup or replaced by another one. A code of this library.
        public static let serverRestored = Code(.serverRestored)

        /// The local store has failed (`kCBLStatusDBError`).
        public static let database = Code(.database)

        /// A filter has failed (`kCBLStatusCallbackError`).
        public static let callback = Code(.callback)

        /// The URL is not a database's.
        public static let badURL = Code(.badURL)

        /// The server did not answer in time.
        public static let timedOut = Code(.timedOut)

        /// The connection to the server could not be established.
        public static let cannotConnect = Code(.cannotConnect)

        /// The connection was lost during an exchange.
        public static let connectionLost = Code(.connectionLost)

        /// TLS failed.
        public static let untrusted = Code(.untrusted)
    }
}

extension ReplicationError.Code {
    /// The codes that this library knows.
    package enum Known: Int, Sendable {
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case notAcceptable = 406
        case timeout = 408
        case conflict = 409
        case preconditionFailed = 412
        case tooLarge = 413
        case unsupportedType = 415
        case unavailable = 503
        case badAttachment = 491
        case upstream = 589
        case serverRestored = 588
        case database = 590
        case callback = 593
        case badURL = -1000
        case timedOut = -1001
        case cannotConnect = -1004
        case connectionLost = -1005
        case untrusted = -1202
    }
}
