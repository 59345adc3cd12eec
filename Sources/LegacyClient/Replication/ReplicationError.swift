import Documents
import HTTP

/// An error of a replication or of one of its documents. The codes are Couchbase Lite 1.x's: the HTTP status if there was a response.
public struct ReplicationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public let code: Code

    /// The problem, its place, and a remedy.
    public let message: String

    /// The description of the underlying error.
    public let cause: String?

    /// The sender of the response; `nil` if there was no response, or if this side has failed.
    public let origin: Origin?

    /// Creates an error. Of the cause only the description is kept.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil, from origin: Origin? = nil) {
        self.code = code
        self.origin = origin
        self.message = message
        self.cause = cause.map { NetworkErrorText.text($0) }
    }

    /// `CBLHTTP` for HTTP statuses and Couchbase Lite's own codes, `NSURLErrorDomain` if there was no response.
    public var domain: String { code.rawValue < 0 ? "NSURLErrorDomain" : "CBLHTTP" }

    /// The problem, its place, its cause and a remedy for display, without error numbers.
    public var text: String { cause.map { "\(message) (\($0))" } ?? message }

    /// The domain and the code, the message and the cause.
    public var description: String {
        cause.map { "\(domain) \(code.rawValue): \(message) (\($0))" } ?? "\(domain) \(code.rawValue): \(message)"
    }
}

extension ReplicationError {
    /// Whether the same request may soon succeed. Transient errors are the statuses that Couchbase Lite for iOS (including 429) and Java (408)
    /// treat so, all connection errors (docs/protocol/legacy-1x.md#retries-of-couchbase-lite), and all responses of intermediaries.
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
    /// The sender of a response.
    public enum Origin: Sendable, Hashable {
        /// The server itself.
        case server
        /// An intermediary such as a proxy or a load balancer. Its response provides no information about the database.
        case intermediary
        /// An intermediary that refuses this request, because of its size or path, and lets other requests through.
        case filter
    }
}

extension ReplicationError.Origin {
    /// Determines who has refused a request. The servers of this protocol send `error` and `reason` in JSON, or their name in the header
    /// `Server`.
    init(server: String?, contentType: String?, body: [UInt8]) {
        let answer = try? JSONValue(body)
        let isPage = contentType.flatMap { MediaType($0) }?.isPage ?? false
        let isOwn = answer?["error"]?.string != nil && answer?["reason"]?.string != nil || ServerFeatures(server).isKnown && !isPage
        self = isOwn ? .server : .intermediary
    }
}

extension MediaType {
    /// Whether the type is a web page. Servers of this protocol send none, except as attachments.
    var isPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}

extension ReplicationError {
    /// The way to resolve an error.
    public enum Remedy: Sendable, Hashable {
        /// Waiting: the network, the server or an intermediary will recover.
        case tryAgain
        /// Another login: the server does not know the session, or refuses the password. If the replication has a password or tokens, it first
        /// logs in again by itself.
        case logIn
        /// A change on the server or of a setting; the replication itself can do nothing. Couchbase Lite 1.x stops the replication.
        case change
    }

    /// The way to resolve this error.
    public var remedy: Remedy {
        if isTransient { return .tryAgain }
        if code == .unauthorized { return .logIn }
        return 400..<500 ~= code.rawValue || isOfSettings || code == .untrusted ? .change : .tryAgain
    }

    /// Whether a setting on this side is invalid, so that only this side can correct it.
    var isOfSettings: Bool { code == .badURL || code == .callback }

    /// Whether the status refuses the request permanently; 408 and 429 do not.
    var isRefusal: Bool { 400..<500 ~= code.rawValue && code != .timeout && code.rawValue != 429 }

    /// Whether an intermediary refuses the request; the server itself may not.
    var isIntermediarysRefusal: Bool { origin == .intermediary && isRefusal }

    /// The same refusal, attributed to this request only, because other requests get through.
    var ofThisRequest: ReplicationError { ReplicationError(self, from: .filter) }

    /// The error for a response with another status than success.
    init(status: Int, url: String, from origin: Origin, body: [UInt8]) {
        let reason = (try? JSONValue(body)).flatMap { $0["reason"]?.string ?? $0["error"]?.string }
        let end =
            origin == .server
            ? ": \(reason ?? "no reason given")" : ", and the answer is not from the server itself; check the proxy in front of it"
        self.init(.init(rawValue: status), "\(url) answered \(status)\(end)", from: origin)
    }

    private init(_ other: ReplicationError, from origin: Origin) {
        code = other.code
        message = other.message
        cause = other.cause
        self.origin = origin
    }
}
