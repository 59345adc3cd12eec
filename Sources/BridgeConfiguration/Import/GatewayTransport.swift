/// Asks for what stands at a URL: a running Sync Gateway's configuration, or a function that a configuration names by its URL.
public struct GatewayTransport: Sendable {
    public struct Answer: Sendable {
        public let status: Int
        public let body: [UInt8]

        public init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    /// The largest function that is fetched, in bytes.
    public static let maximumFunction = 1 << 20

    private let ask: @Sendable (_ url: String, _ maximum: Int) async throws -> Answer

    /// - Parameter ask: gets a URL, in bounded time; throws if the answer's body has more bytes than the maximum.
    public init(_ ask: @escaping @Sendable (_ url: String, _ maximum: Int) async throws -> Answer) {
        self.ask = ask
    }

    func get(_ url: String, maximum: Int) async throws -> Answer {
        try await ask(url, maximum)
    }
}

/// A server that does not answer, or with more than can be taken.
public struct GatewayUnreachable: Error, Sendable, CustomStringConvertible {
    public let url: String
    public let reason: String

    public init(url: String, reason: String) {
        self.url = url
        self.reason = reason
    }

    /// What happened and what to do.
    public var message: String { "\(url) cannot be read: \(reason). Is the address right, and is the server up?" }

    public var description: String { reason }
}
