/// Fetches URLs: a running Sync Gateway's configuration, or a function that a configuration gives as a URL.
package struct GatewayTransport: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        package let body: [UInt8]

        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    /// The size limit of a fetched function, in bytes.
    package static let maximumFunction = 1 << 20

    private let ask: @Sendable (_ url: String, _ maximum: Int) async throws -> Answer

    /// - Parameter ask: gets a URL within a timeout; throws if the reply's body is larger than the maximum.
    package init(_ ask: @escaping @Sendable (_ url: String, _ maximum: Int) async throws -> Answer) {
        self.ask = ask
    }

    func get(_ url: String, maximum: Int) async throws -> Answer {
        try await ask(url, maximum)
    }
}

/// The server does not reply, or its reply is too large.
package struct GatewayUnreachable: Error, Sendable, CustomStringConvertible {
    package let url: String
    package let reason: String

    package init(url: String, reason: String) {
        self.url = url
        self.reason = reason
    }

    /// The problem, and what to do.
    package var message: String { "\(url) cannot be read: \(reason). Is the address right, and is the server up?" }

    package var description: String { reason }
}
