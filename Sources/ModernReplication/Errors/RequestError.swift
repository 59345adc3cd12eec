import BLIP

/// Why a request gets an error reply. Its text goes to the client.
struct RequestError: Error, Equatable, CustomStringConvertible {
    /// What the error reply says, in a domain and by a number (docs/protocol/modern-2x.md#error-replies).
    struct Code: Hashable, Sendable {
        let domain: String
        let number: Int

        /// A code of the domain that clients understand best.
        static func http(_ status: Int) -> Code {
            Code(domain: "HTTP", number: status)
        }

        static let badRequest = http(400)
        static let forbidden = http(403)
        static let notFound = http(404)
        static let conflict = http(409)
        static let tooLarge = http(413)
        /// The body cannot be understood here; another form of it may be.
        static let unprocessable = http(422)
        static let internalError = http(500)
        static let unsupported = http(501)
        /// Makes the client close, wait and come back.
        static let unavailable = http(503)
        /// Nobody handles such requests.
        static let noHandler = Code(domain: "BLIP", number: 404)
    }

    let code: Code
    let message: String

    /// What is behind it. It goes to the log and not to the client.
    let cause: (any Error)?

    /// Whether it is the client who is wrong, whatever the code says.
    let isRefusal: Bool

    init(_ code: Code, _ message: String, isRefusal: Bool = false, cause: (any Error)? = nil) {
        self.isRefusal = isRefusal
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The reply that says so.
    func reply(to number: UInt64) -> BLIPMessage {
        .error(to: number, domain: code.domain, code: code.number, message: message)
    }

    var description: String {
        cause.map { "\(code.domain) \(code.number): \(message) (\($0))" } ?? "\(code.domain) \(code.number): \(message)"
    }

    static func == (a: RequestError, b: RequestError) -> Bool {
        a.code == b.code && a.message == b.message
    }
}
