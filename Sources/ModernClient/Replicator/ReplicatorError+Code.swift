extension ReplicatorError {
    /// An error code of Couchbase Lite: LiteCore's own codes below 5000, network errors from 5000, HTTP statuses from 10000, WebSocket
    /// codes from 11000.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The closed form of the code, for exhaustive translations.
        package var kind: Kind {
            switch rawValue {
            case 5_000..<10_000: .network(rawValue - 5_000)
            case 10_000..<11_000: .http(rawValue - 10_000)
            case 11_000..<15_000: .webSocket(rawValue - 10_000)
            default: .liteCore(rawValue)
            }
        }

        /// An HTTP status, of the upgrade or of one document. A server may send any number; it is clamped to 0 to 4999.
        public static func http(_ status: Int) -> Code { Code(rawValue: 10_000 + within(status)) }

        /// A WebSocket close code, 0 to 4999.
        public static func webSocket(_ code: Int) -> Code { Code(rawValue: 10_000 + within(code)) }

        /// A network error of LiteCore, 0 to 4999.
        static func network(_ number: Int) -> Code { Code(rawValue: 5_000 + within(number)) }

        private static func within(_ number: Int) -> Int { min(max(number, 0), 4_999) }

        public static let notFound = Code(rawValue: 7)
        public static let conflict = Code(rawValue: 8)
        public static let invalidParameter = Code(rawValue: 9)
        public static let unexpectedError = Code(rawValue: 10)
        public static let unsupported = Code(rawValue: 19)
        public static let crypto = Code(rawValue: 22)
        /// The server failed with an error that has no specific code.
        public static let remoteError = Code(rawValue: 26)

        /// The base revision of a delta is missing.
        public static let deltaBaseUnknown = Code(rawValue: 31)
        public static let corruptDelta = Code(rawValue: 32)

        public static let dnsFailure = network(1)
        public static let unknownHost = network(2)
        public static let timeout = network(3)
        public static let invalidURL = network(4)
        public static let tooManyRedirects = network(5)
        public static let tlsHandshakeFailed = network(6)
        public static let tlsCertificateExpired = network(7)
        public static let tlsCertificateUntrusted = network(8)
        public static let tlsClientCertificateRequired = network(9)
        public static let tlsClientCertificateRejected = network(10)
        public static let tlsCertificateUnknownRoot = network(11)
        public static let invalidRedirect = network(12)
        /// LiteCore's code for a revoked certificate. This replicator checks no revocation list.
        public static let tlsCertificateRevoked = network(14)
        public static let tlsCertificateNameMismatch = network(15)
        public static let networkReset = network(16)
        public static let connectionAborted = network(17)
        public static let connectionReset = network(18)
        public static let connectionRefused = network(19)
        public static let networkDown = network(20)
        public static let networkUnreachable = network(21)
        public static let notConnected = network(22)
        public static let hostDown = network(23)
        public static let hostUnreachable = network(24)
        public static let addressNotAvailable = network(25)
        public static let brokenPipe = network(26)
        public static let unknownInterface = network(27)

        public static let unauthorized = http(401)
        public static let forbidden = http(403)
        public static let httpNotFound = http(404)
        public static let httpConflict = http(409)
        public static let httpServiceUnavailable = http(503)

        public static let closedByPeer = webSocket(1001)
        public static let webSocketProtocolError = webSocket(1002)
        public static let abnormalClose = webSocket(1006)
        public static let unexpectedCondition = webSocket(1011)
        /// The server requests a disconnect and a later retry.
        public static let transientClose = webSocket(4001)
        /// The server requests a disconnect without a retry.
        public static let permanentClose = webSocket(4002)

        public var description: String { String(rawValue) }
    }
}

extension ReplicatorError.Code {
    /// The kinds of codes, each with the number of its kind.
    package enum Kind: Hashable, Sendable {
        case liteCore(Int)
        case network(Int)
        case http(Int)
        case webSocket(Int)
    }
}
