import AsyncHTTPClient
import NIOCore

/// What carries requests to a server, and its answers back: HTTP, or in simulations a server in the same process.
protocol RemoteTransport: Sendable {
    /// - Parameter deadline: Until when the answer's head has to have come.
    /// - Returns: The answer's head; its body may not have come.
    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse

    /// Ends what runs and lets go of all connections.
    func close() async
}

extension HTTPClient: RemoteTransport {
    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse {
        try await execute(request, deadline: deadline, logger: nil)
    }

    func close() async {
        try? await shutdown()
    }
}
