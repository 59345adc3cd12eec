import AsyncHTTPClient
import NIOCore

/// What carries requests to a server, and its answers back: HTTP, or in simulations a server in the same process.
protocol RemoteTransport: Sendable {
    /// - Returns: The answer's head; its body may not have come.
    func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse

    /// Ends what runs and lets go of all connections.
    func close() async
}

extension HTTPClient: RemoteTransport {
    func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .distantFuture)
    }

    func close() async {
        try? await shutdown()
    }
}
