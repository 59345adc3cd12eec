public import HTTPTypes
public import HummingbirdCore
import NIOCore

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

    /// The answer to the client: the status, and a JSON body `{"error": <status text>, "reason": <reason>}` as Sync Gateway's.
    public var response: Response {
        var body = ByteBuffer()
        body.writeString("{\"error\":")
        body.writeJSON(string: code.status.namedByGo)
        body.writeString(",\"reason\":")
        body.writeJSON(string: reason)
        body.writeString("}\n")
        return Response(
            status: code.status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
    }
}

extension RequestError: CustomStringConvertible {
    public var description: String {
        cause.map { "\(code): \(reason) (\($0))" } ?? "\(code): \(reason)"
    }
}

extension ByteBuffer {
    /// Writes a string as a JSON string.
    mutating func writeJSON(string: String) {
        writeInteger(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": writeStaticString("\\\"")
            case "\\": writeStaticString("\\\\")
            case "\n": writeStaticString("\\n")
            case "\r": writeStaticString("\\r")
            case "\t": writeStaticString("\\t")
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                writeString("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: writeString(String(scalar))
            }
        }
        writeInteger(UInt8(ascii: "\""))
    }
}

extension HTTPResponse.Status {
    /// The status's text as Sync Gateway's answers have it: Go has kept the names of RFC 7231 and before.
    public var namedByGo: String {
        switch code {
        case 413: "Request Entity Too Large"
        case 414: "Request URI Too Long"
        case 416: "Requested Range Not Satisfiable"
        case 422: "Unprocessable Entity"
        default: reasonPhrase
        }
    }
}
