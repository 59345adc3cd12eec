import Documents
import HTTP

/// Why a replication, or one document of it, failed: the codes of Couchbase Lite 1.x, which are HTTP's statuses where there was an answer.
public struct ReplicationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: Code

    /// What happened, where, and what to do.
    public let message: String

    /// What is behind it, in words.
    public let cause: String?

    /// Who gave the answer; `nil` where there was none, and where this side has failed.
    public let origin: Origin?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil, from origin: Origin? = nil) {
        self.code = code
        self.origin = origin
        self.message = message
        self.cause = cause.map { NetworkErrorText.text($0) }
    }

    /// `CBLHTTP` for statuses and Couchbase Lite's own codes, `NSURLErrorDomain` where there was no answer.
    public var domain: String { code.rawValue < 0 ? "NSURLErrorDomain" : "CBLHTTP" }

    /// What happened, where, why, and what to do, without numbers: for people.
    public var text: String { cause.map { "\(message) (\($0))" } ?? message }

    public var description: String {
        cause.map { "\(domain) \(code.rawValue): \(message) (\($0))" } ?? "\(domain) \(code.rawValue): \(message)"
    }
}

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

extension ReplicationError {
    /// Who has given an answer.
    public enum Origin: Sendable, Hashable {
        /// The server itself.
        case server
        /// Somebody on the way to it, such as a proxy or a load balancer. What it says of the database is no news of the database.
        case intermediary
        /// Somebody on the way to it who refuses this request and lets others through: by its size or its path.
        case filter
    }
}

extension ReplicationError.Origin {
    /// Finds out who has refused a request: the servers of this protocol say `error` and `reason` in JSON, or else their name in the header `Server`.
    init(server: String?, contentType: String?, body: [UInt8]) {
        let answer = try? JSONValue(body)
        let isPage = contentType.flatMap { MediaType($0) }?.isPage ?? false
        let isOwn = answer?["error"]?.string != nil && answer?["reason"]?.string != nil || ServerFeatures(server).isKnown && !isPage
        self = isOwn ? .server : .intermediary
    }
}

extension MediaType {
    /// Whether it is a page for people. No server of this protocol answers with one, but for attachments.
    var isPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}

extension ReplicationError {
    /// What helps against a failure.
    public enum Remedy: Sendable, Hashable {
        /// Waiting: the network, the server or a proxy on the way to it will be in order again.
        case tryAgain
        /// Another login: the server does not know the session, or refuses the password. The replication itself logs in again first, where it has
        /// a password or tokens.
        case logIn
        /// Nothing that the replication could do: the server has refused the request, or a setting is wrong. Couchbase Lite 1.x stops the
        /// replication.
        case change
    }

    public var remedy: Remedy {
        if isTransient { return .tryAgain }
        if code == .unauthorized { return .logIn }
        return 400..<500 ~= code.rawValue || isOfSettings || code == .untrusted ? .change : .tryAgain
    }

    /// Whether the settings are wrong on this side, so that nobody else can mend it.
    var isOfSettings: Bool { code == .badURL || code == .callback }

    /// Whether an answer's status refuses the request, as opposed to saying that it comes at a bad time.
    var isRefusal: Bool { 400..<500 ~= code.rawValue && code != .timeout && code.rawValue != 429 }

    /// Whether somebody on the way to the server refuses the request: the server itself may not.
    var isIntermediarysRefusal: Bool { origin == .intermediary && isRefusal }

    /// The same refusal, known to be about this one request: others get through.
    var ofThisRequest: ReplicationError { ReplicationError(self, from: .filter) }

    /// An answer that is none of success.
    init(status: Int, url: String, from origin: Origin, body: [UInt8]) {
        let reason = (try? JSONValue(body)).flatMap { $0["reason"]?.string ?? $0["error"]?.string }
        let end =
            origin == .server ? ": \(reason ?? "no reason given")" : ", and that was not the server itself; look at the proxy before it"
        self.init(.init(rawValue: status), "\(url) answered \(status)\(end)", from: origin)
    }

    private init(_ other: ReplicationError, from origin: Origin) {
        code = other.code
        message = other.message
        cause = other.cause
        self.origin = origin
    }
}
