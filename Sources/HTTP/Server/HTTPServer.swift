public import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// A server that speaks HTTP/1.1 and WebSocket on one port, plain or over TLS.
///
/// Every request goes to one handler, which finds the route itself: `request.head.path` is the request's target as it came. A
/// route that speaks WebSocket answers with ``HummingbirdCore/Response/webSocket(subprotocol:headers:limits:handler:)``. The
/// handler's task is cancelled when its client leaves.
public final class HTTPServer: Service {
    /// Answers one request.
    public typealias Handler = @Sendable (Request, RequestInfo) async -> Response

    private let acceptor: Acceptor
    private let place: BindTarget
    private let shutdownSignal: ShutdownSignal
    private let start = Eventual<Int>()

    /// - Parameters:
    ///   - configuration: Where and how to serve.
    ///   - logger: Gets what operators should see; requests are not logged here.
    ///   - handler: Answers all requests.
    public init(configuration: HTTPServerConfiguration, logger: Logger, handler: @escaping Handler) {
        shutdownSignal = ShutdownSignal()
        let settings = ConnectionSettings(
            serverName: configuration.serverName, limits: configuration.limits, tls: configuration.tls, shutdown: shutdownSignal,
            memory: configuration.memory, handler: handler)
        acceptor = Acceptor(ConnectionChannel(settings: settings), most: configuration.limits.connections, logger: logger)
        place =
            if let socket = configuration.socket { .socket(socket) } else {
                .address(host: configuration.host, port: configuration.port)
            }
    }

    /// Serves until it is shut down, by ``shutdown()`` or by the service group's graceful shutdown; may be called once.
    ///
    /// - Throws: What made listening impossible, an address in use for example.
    public func run() async throws {
        let signal = shutdownSignal
        do {
            try await withGracefulShutdownHandler {
                try await withTaskCancellationHandler {
                    try await acceptor.run(at: place) { [start] port in start.resolve(.success(port ?? 0)) }
                } onCancel: {
                    Task { try await shutdown() }
                }
            } onGracefulShutdown: {
                signal.begin()
                Task { try await self.shutdown() }
            }
        } catch {
            start.resolve(.failure(error))
            throw error
        }
        start.resolve(.failure(CancellationError()))
    }

    /// Listens at an address for a moment, to find out whether it can be done.
    ///
    /// - Throws: What makes it impossible.
    public static func probe(host: String, port: Int) async throws {
        try await holding(host: host, port: port) { _ in }
    }

    /// Listens at an address while something is done. Connections are not accepted: they are reset at the end, so that clients try again.
    /// An accepted one would stay open, and its request without an answer.
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

    /// The port that is listened at, as soon as it is.
    ///
    /// - Throws: What made listening impossible.
    public func port() async throws -> Int {
        try await start.value()
    }

    /// Stops: no more connections and requests are taken, feeds are told to end and WebSockets closed, and what has not ended after
    /// ``HTTPServerLimits/shutdownTimeout`` is dropped. Returns when all connections are closed.
    public func shutdown() async throws {
        shutdownSignal.begin()
        try await acceptor.stop()
    }
}
