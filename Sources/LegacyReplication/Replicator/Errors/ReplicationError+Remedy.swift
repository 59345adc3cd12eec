import Documents

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
