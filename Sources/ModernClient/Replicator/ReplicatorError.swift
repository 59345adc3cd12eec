import HTTP

/// The reason why a replication, or one document of it, failed: Couchbase Lite's error domains and codes
/// (docs/protocol/modern-2x.md#error-codes).
public struct ReplicatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Couchbase Lite's domain for all of these codes.
    public static let domain = "CouchbaseLite"

    /// The kind of error.
    public let code: Code

    /// The event, its place, and the remedy.
    public let message: String

    /// The text of the underlying error.
    public let cause: String?

    /// Whether the server requires the property `collection`, as LiteCore 3.4 and later do, and a Sync Gateway without a default
    /// collection.
    var wantsCollection = false

    /// Creates an error. Of the cause only the text is kept.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause.map { NetworkErrorText.text($0) }
    }

    /// The message with its cause and without codes, for display to users.
    public var text: String { cause.map { "\(message) (\($0))" } ?? message }

    /// The domain and the code, the message and the cause.
    public var description: String {
        cause.map { "\(Self.domain) \(code): \(message) (\($0))" } ?? "\(Self.domain) \(code): \(message)"
    }
}

extension ReplicatorError {
    /// Whether the error is expected to pass by itself, and justifies a retry (docs/protocol/modern-2x.md#transient-errors).
    public var isTransient: Bool {
        switch code.kind {
        case .http(let status): [408, 429, 500, 502, 503, 504].contains(status)
        case .network(let number): [1, 3, 16, 17, 18, 19].contains(number)
        case .webSocket(let number): [1006, 4001].contains(number)
        case .liteCore: false
        }
    }

    /// Whether the local configuration is invalid, so that a retry cannot succeed.
    var isOfSettings: Bool { [.invalidParameter, .invalidURL, .unknownInterface, .crypto].contains(code) }

    /// Whether a server that refused a delta may accept the whole revision. Sync Gateway replies with 400 if delta sync is disabled, and
    /// with 404 if the base is gone.
    var isAboutDelta: Bool {
        [.http(400), .httpNotFound, .http(422), .deltaBaseUnknown, .corruptDelta].contains(code)
    }

    /// Whether the error may pass when the network changes, which justifies a retry for a continuous replication.
    public var isNetworkDependent: Bool {
        switch code.kind {
        case .network(let number): number == 2 || 20...27 ~= number
        case .liteCore, .http, .webSocket: false
        }
    }
}
