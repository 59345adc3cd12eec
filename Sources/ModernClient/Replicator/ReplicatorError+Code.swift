extension ReplicatorError {
    /// An error code of Couchbase Lite: LiteCore's own codes below 5000, network errors from 5000, HTTP statuses from 10000, WebSocket
    /// codes from 11000.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number of the code.
        public let rawValue: Int

        /// Creates a code, such as a status without a name here.
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

        /// A local document, or a replicated collection, does not exist.
        public static let notFound = Code(rawValue: 7)
        /// The revision conflicts with another one.
        public static let conflict = Code(rawValue: 8)
        /// The configuration has an invalid value, or no collection.
        public static let invalidParameter = Code(rawValue: 9)
        /// The local store or another part of this side failed.
        public static let unexpectedError = Code(rawValue: 10)
        /// The replicator is not configured for this.
        public static let unsupported = Code(rawValue: 19)
        /// A certificate or a key cannot be read.
        public static let crypto = Code(rawValue: 22)
        /// The server failed with an error that has no specific code.
        public static let remoteError = Code(rawValue: 26)

        /// The base revision of a delta is missing.
        public static let deltaBaseUnknown = Code(rawValue: 31)
        /// A delta cannot be applied to its base.
        public static let corruptDelta = Code(rawValue: 32)

        /// The name server cannot be reached.
        public static let dnsFailure = network(1)
        /// The host name is unknown.
        public static let unknownHost = network(2)
        /// The server did not answer in time.
        public static let timeout = network(3)
        /// The URL is not a database of a `ws:` or `wss:` server.
        public static let invalidURL = network(4)
        /// The server redirects too often.
        public static let tooManyRedirects = network(5)
        /// TLS failed.
        public static let tlsHandshakeFailed = network(6)
        /// The server's certificate has expired.
        public static let tlsCertificateExpired = network(7)
        /// The server's certificate is not the expected one.
        public static let tlsCertificateUntrusted = network(8)
        /// The server requires a client certificate.
        public static let tlsClientCertificateRequired = network(9)
        /// The server refuses the client certificate.
        public static let tlsClientCertificateRejected = network(10)
        /// The authority of the server's certificate is not trusted.
        public static let tlsCertificateUnknownRoot = network(11)
        /// The server redirects to an address that cannot be followed.
        public static let invalidRedirect = network(12)
        /// LiteCore's code for a revoked certificate. This replicator checks no revocation list.
        public static let tlsCertificateRevoked = network(14)
        /// The server's certificate is for another host.
        public static let tlsCertificateNameMismatch = network(15)
        /// The network dropped the connection.
        public static let networkReset = network(16)
        /// This device dropped the connection.
        public static let connectionAborted = network(17)
        /// The server dropped the connection.
        public static let connectionReset = network(18)
        /// The server does not listen on the port.
        public static let connectionRefused = network(19)
        /// The network is down.
        public static let networkDown = network(20)
        /// The network cannot be reached.
        public static let networkUnreachable = network(21)
        /// The device has no connection.
        public static let notConnected = network(22)
        /// The host is down.
        public static let hostDown = network(23)
        /// The host cannot be reached.
        public static let hostUnreachable = network(24)
        /// The local address is not available.
        public static let addressNotAvailable = network(25)
        /// The connection was closed while data was sent.
        public static let brokenPipe = network(26)
        /// The network interface does not exist.
        public static let unknownInterface = network(27)

        /// The server requires a login, or refuses the given one.
        public static let unauthorized = http(401)
        /// The user has no access, or the sync function refuses the document.
        public static let forbidden = http(403)
        /// The database, collection or document does not exist on the server.
        public static let httpNotFound = http(404)
        /// The server has another revision of the document.
        public static let httpConflict = http(409)
        /// The server is overloaded or offline.
        public static let httpServiceUnavailable = http(503)

        /// The server goes away, for example to restart.
        public static let closedByPeer = webSocket(1001)
        /// The other side breaks the WebSocket protocol.
        public static let webSocketProtocolError = webSocket(1002)
        /// The connection broke without a close message.
        public static let abnormalClose = webSocket(1006)
        /// The server failed.
        public static let unexpectedCondition = webSocket(1011)
        /// The server requests a disconnect and a later retry.
        public static let transientClose = webSocket(4001)
        /// The server requests a disconnect without a retry.
        public static let permanentClose = webSocket(4002)

        /// The number of the code.
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
