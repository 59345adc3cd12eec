package import HTTPTypes

/// An error that prevents a request from being served, with the status of the response.
package struct RequestError: Error, Sendable {
    /// The kind of failure, which determines the HTTP status.
    package enum Code: Sendable, Hashable, CustomStringConvertible {
        /// The request is malformed: 400.
        case badRequest
        /// The client did not send its request in time: 408.
        case requestTimeout
        /// The body is longer than the limit, before or after decompression: 413.
        case contentTooLarge
        /// The body has a `Content-Encoding` other than gzip: 415.
        case unsupportedMediaType
        /// The route supports only WebSocket, and the request is not a valid upgrade: 426.
        case upgradeRequired
        /// The request's head exceeds the limit: 431.
        case headTooLarge
        /// The route's response cannot be sent: 500.
        case invalidResponse
        /// There is not enough memory for the response at present: 503.
        case unavailable
        /// The request uses an HTTP feature that the server does not support: 501.
        case unsupportedFeature

        /// The status of the response.
        package var status: HTTPResponse.Status {
            switch self {
            case .badRequest: .badRequest
            case .requestTimeout: .requestTimeout
            case .contentTooLarge: .contentTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .upgradeRequired: .upgradeRequired
            case .headTooLarge: .requestHeaderFieldsTooLarge
            case .invalidResponse: .internalServerError
            case .unavailable: .serviceUnavailable
            case .unsupportedFeature: .notImplemented
            }
        }

        package var description: String { "\(status.code) \(status.reasonPhrase)" }
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong and how to fix it, for people.
    package let reason: String
    /// The underlying error, for the log; never sent to the client.
    package let cause: (any Error)?

    package init(_ code: Code, reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

extension RequestError: CustomStringConvertible {
    package var description: String {
        cause.map { "\(code): \(reason) (\($0))" } ?? "\(code): \(reason)"
    }
}

extension HTTPResponse.Status {
    /// The status text of Sync Gateway's responses: Go uses the names of RFC 7231 and earlier.
    package var namedByGo: String {
        switch code {
        case 413: "Request Entity Too Large"
        case 414: "Request URI Too Long"
        case 416: "Requested Range Not Satisfiable"
        case 422: "Unprocessable Entity"
        default: reasonPhrase
        }
    }
}
