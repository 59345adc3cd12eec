import Coordination
import HTTP
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import NIOSSL

/// Accepts connections, and runs each in its own task.
///
/// Hummingbird's own server cannot use a socket that is listening already. Its connection limit is used here.
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

    private let state = Lock(State.idle)

    init(_ connections: ConnectionChannel, most: Int, logger: Logger) {
        self.connections = connections
        limit = MaximumAvailableConnections(most, logger: logger)
        self.logger = logger
    }

    /// Accepts connections until ``stop()``, and returns when all are closed. After ``stop()`` it returns immediately.
    ///
    /// - Parameters:
    ///   - place: Where to listen.
    ///   - listening: Called with the port.
    /// - Throws: The error that prevents listening.
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
        let (running, aborting) = (WaitGroup(), StopSignal())
        await withTaskCancellationHandler {
            do {
                try await server.executeThenClose { inbound in
                    for try await connection in inbound {
                        running.enter()
                        connection.start(until: aborting) { running.leave() }
                    }
                }
            } catch {
                logger.error("no more connections are accepted", metadata: ["error": "\(error)"])
            }
            await running.wait()
        } onCancel: {
            aborting.raise()
        }
    }

    /// Stops accepting connections, and returns when all are closed.
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
    /// With port 0 the system chooses the port.
    case address(host: String, port: Int)
    /// A socket that is listening already. It is closed at the end.
    case socket(NIOBSDSocket.Handle)
}

/// Wraps accepted channels in ``HTTPConnection``s.
struct ConnectionChannel: Sendable {
    let settings: ConnectionSettings

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTPConnection> {
        channel.eventLoop.makeCompletedFuture {
            // Detects clients that disappeared without closing the connection while nothing is sent to them.
            try channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
            // The read buffer stays allocated between reads. It starts small, because most connections never read more than a request's head at once.
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
}

/// Settings shared by all connections of a server.
struct ConnectionSettings: Sendable {
    let serverName: String
    let limits: HTTPServerLimits
    let tls: ReloadableTLS?
    let shutdown: StopSignal
    let memory: MemoryAccount
    let handler: HTTPServer.Handler
}
