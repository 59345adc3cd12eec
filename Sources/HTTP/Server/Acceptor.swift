import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import NIOSSL
import Synchronization

/// Accepts connections, and runs each in a task of its own.
///
/// Hummingbird's own server cannot take over a socket that listens already; its limit of connections and its channels are used here.
final class Acceptor: Sendable {
    private let connections: ConnectionChannel
    private let limit: MaximumAvailableConnections
    private let logger: Logger
    private let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)

    private enum State {
        case idle
        case running(any Channel)
        case stopped
    }

    private let state = Mutex(State.idle)

    init(_ connections: ConnectionChannel, most: Int, logger: Logger) {
        self.connections = connections
        limit = MaximumAvailableConnections(most, logger: logger)
        self.logger = logger
    }

    /// Accepts until ``stop()``, and returns when all connections are closed; at once after it.
    ///
    /// - Parameters:
    ///   - place: Where to listen.
    ///   - listening: Is told the port.
    /// - Throws: What made listening impossible.
    func run(at place: BindTarget, listening: @Sendable (Int?) -> Void) async throws {
        let server = try await bind(place)
        let isStopped = state.withLock { state in
            if case .stopped = state { return true }
            state = .running(server.channel)
            return false
        }
        guard !isStopped else {
            return try await server.channel.close()
        }
        listening(server.channel.localAddress?.port)
        await withDiscardingTaskGroup { group in
            do {
                try await server.executeThenClose { inbound in
                    for try await connection in inbound {
                        group.addTask { [connections, logger] in await connections.handle(value: connection, logger: logger) }
                    }
                }
            } catch {
                logger.error("connections are accepted no more", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Accepts no more, and returns when all connections are closed.
    func stop() async throws {
        let channel = state.withLock { state -> (any Channel)? in
            defer { state = .stopped }
            guard case .running(let channel) = state else { return nil }
            return channel
        }
        guard let channel else { return }
        let closed = channel.eventLoop.makePromise(of: Void.self)
        quiescing.initiateShutdown(promise: closed)
        try await closed.futureResult.get()
    }

    private func bind(_ place: BindTarget) async throws -> NIOAsyncChannel<HTTPConnection, Never> {
        let (limit, quiescing, connections, logger) = (limit, quiescing, connections, logger)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AvailableConnectionsChannelHandler(delegate: limit))
                    try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
        switch place {
        case .address(let host, let port):
            return try await bootstrap.bind(host: host, port: port) { connections.setup(channel: $0, logger: logger) }
        case .socket(let descriptor):
            return try await bootstrap.bind(descriptor) { connections.setup(channel: $0, logger: logger) }
        }
    }
}

/// Where to listen.
enum BindTarget: Sendable {
    /// Port 0 lets the system choose one.
    case address(host: String, port: Int)
    /// A socket that listens already. It is closed at the end.
    case socket(NIOBSDSocket.Handle)
}

/// Makes accepted channels into ``HTTPConnection``s, for Hummingbird's server.
struct ConnectionChannel: ServerChildChannel {
    let settings: ConnectionSettings

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTPConnection> {
        channel.eventLoop.makeCompletedFuture {
            // Finds clients that vanished without a word while nothing is sent to them.
            try channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
            // The buffer of the last read is kept for the next one; most connections never read more than a request's head at once. It grows.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 64 * 1024))
            let pipeline = channel.pipeline.syncOperations
            if let tls = settings.tls {
                try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
            }
            let connection = HTTPConnection(channel: channel, settings: settings, logger: logger)
            try HTTPConnectionHandler(connection: connection, limits: settings.limits).install(in: pipeline)
            return connection
        }
    }

    func handle(value: HTTPConnection, logger: Logger) async {
        await value.run()
    }
}

/// What all connections of a server share.
struct ConnectionSettings: Sendable {
    let serverName: String
    let limits: HTTPServerLimits
    let tls: ReloadableTLS?
    let shutdown: ShutdownSignal
    let memory: MemoryAccount
    let handler: HTTPServer.Handler
}
