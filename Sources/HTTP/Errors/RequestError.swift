public import HTTPTypes

/// A request that cannot be served as it came, with the status it is answered with.
public struct RequestError: Error, Sendable {
    /// What kind of failure it is; each has its HTTP status.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The status the request is answered with.
        public let status: HTTPResponse.Status

        /// The request cannot be understood: 400.
        public static let badRequest = Self(status: .badRequest)
        /// The client did not send its request in time: 408.
        public static let requestTimeout = Self(status: .requestTimeout)
        /// The body is longer than the limit, before or after decompression: 413.
        public static let contentTooLarge = Self(status: .contentTooLarge)
        /// The body has a `Content-Encoding` other than gzip: 415.
        public static let unsupportedMediaType = Self(status: .unsupportedMediaType)
        /// The route speaks WebSocket only and the request is no proper upgrade: 426.
        public static let upgradeRequired = Self(status: .upgradeRequired)
        /// The request's head is longer than the limit: 431.
        public static let headTooLarge = Self(status: .requestHeaderFieldsTooLarge)
        /// The route's answer could not be sent: 500.
        public static let invalidResponse = Self(status: .internalServerError)
        /// There is no memory for the answer now: 503.
        public static let unavailable = Self(status: .serviceUnavailable)
        /// The request uses a feature of HTTP that this server does not have: 501.
        public static let unsupportedFeature = Self(status: .notImplemented)

        public var description: String { "\(status.code) \(status.reasonPhrase)" }
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do, for people.
    public let reason: String
    /// What brought it about, for the log; never sent to the client.
    public let cause: (any Error)?

    public init(_ code: Code, reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension RequestError: CustomStringConvertible {
    public var description: String {
        cause.map { "\(code): \(reason) (\($0))" } ?? "\(code): \(reason)"
    }
}
