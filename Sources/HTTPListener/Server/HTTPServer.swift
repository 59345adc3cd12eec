import Coordination
package import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix

/// A server for HTTP/1.1 and WebSocket on one port, with or without TLS.
///
/// One handler receives all requests and selects the route itself: `request.head.path` is the unmodified request target. A WebSocket route
/// responds with ``HummingbirdCore/Response/webSocket(subprotocol:headers:limits:handler:)``. The handler's task is cancelled when its
/// client disconnects.
package final class HTTPServer: Sendable {
    /// Serves one request.
    package typealias Handler = @Sendable (Request, RequestInfo) async -> Response

    private let acceptor: Acceptor
    private let place: BindTarget
    private let shutdownSignal: StopSignal
    private let start = Promise<Int, any Error>()

    /// - Parameters:
    ///   - configuration: Where and how to serve.
    ///   - logger: Receives messages for operators; requests are not logged here.
    ///   - handler: Serves all requests.
    package init(configuration: HTTPServerConfiguration, logger: Logger, handler: @escaping Handler) {
        shutdownSignal = StopSignal()
        let settings = ConnectionSettings(
            serverName: configuration.serverName, limits: configuration.limits, tls: configuration.tls, shutdown: shutdownSignal,
            memory: configuration.memory, handler: handler)
        acceptor = Acceptor(ConnectionChannel(settings: settings), most: configuration.limits.connections, logger: logger)
        place =
            if let socket = configuration.socket { .socket(socket) } else {
                .address(host: configuration.host, port: configuration.port)
            }
    }

    /// Serves until ``shutdown()``; may be called once.
    ///
    /// - Throws: The error that prevents listening, for example an address in use.
    package func run() async throws {
        do {
            try await withTaskCancellationHandler {
                try await acceptor.run(at: place) { [start] port in start.resolve(.success(port ?? 0)) }
            } onCancel: {
                Task { try await shutdown() }
            }
        } catch {
            start.resolve(.failure(error))
            throw error
        }
        start.resolve(.failure(CancellationError()))
    }

    /// Listens at an address briefly, to check that listening is possible.
    ///
    /// - Throws: The error that prevents listening.
    package static func probe(host: String, port: Int) async throws {
        try await holding(host: host, port: port) { _ in }
    }

    /// Listens at an address while `work` runs. Connections are not accepted but reset at the end, so that clients retry: an accepted
    /// connection would stay open without a response.
    static func holding(host: String, port: Int, _ work: (_ port: Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: host, port: port).get()
        let result: Result<Void, any Error>
        do { result = .success(try await work(channel.localAddress?.port ?? port)) } catch { result = .failure(error) }
        try await channel.close()
        try result.get()
    }

    /// The listening port, once the server is listening.
    ///
    /// - Throws: The error that prevents listening.
    package func port() async throws -> Int {
        try await start.value()
    }

    /// Stops the server, and returns when all connections are closed.
    ///
    /// The server accepts no more connections and requests, signals feeds to end, and closes WebSockets. Connections that are still open after
    /// ``HTTPServerLimits/shutdownTimeout`` are dropped.
    package func shutdown() async throws {
        shutdownSignal.raise()
        try await acceptor.stop()
    }
}
