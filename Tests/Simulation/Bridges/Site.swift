import Access
import Coordination
import Gateway
import HTTP
import LegacyServer
import Logging
import ModernProtocol
import ModernServer
import Scripting
import Storage

/// A running process of a server: a database with caches of its own, over a store that it has opened.
final class Site {
    let number: Int
    let database: Database
    let store: MortalStore

    /// `nil` for a server with one process.
    let lease: SimulatedLease?

    /// Whether the process is stopped.
    var isPaused = false

    private let breaker: ConnectionBreaker

    init(
        _ number: Int, _ configuration: DatabaseConfiguration, over opened: OpenedStore, lease: SimulatedLease?
    ) async throws {
        self.number = number
        self.lease = lease
        let breaker = ConnectionBreaker()
        self.breaker = breaker
        store = MortalStore(opened) {
            await breaker.dropConnection()
        } onLoss: {
            breaker.loseClient()
        }
        database = try await Database(configuration: configuration, store: store, scripts: ScriptEngine(), logger: Logger.silent)
    }

    /// Whether it serves clients and may do the work.
    var isUp: Bool { !store.isDead && !isPaused }

    /// Serves a 2.x+ client's connection until it ends.
    func serve(
        _ socket: Pipe, by modern: ModernListener, as principal: Principal, _ subprotocol: Subprotocol, origin: Predecessor?
    ) -> Task<Void, Never> {
        let database = database, breaker = breaker
        return Task {
            breaker.attach(socket, isClient: true)
            await modern.serve(socket, database: database, principal: principal, subprotocol: subprotocol, origin: origin)
            breaker.detach()
        }
    }

    /// Closes a connection of the server itself, too, when the process dies.
    ///
    /// - Returns: A closure that ends this.
    func watch(_ socket: Pipe) -> @Sendable () -> Void {
        let breaker = breaker
        breaker.attach(socket, isClient: false)
        return { breaker.detach() }
    }

    func close() async throws { try await database.close() }
}

/// Ends an open connection when a process dies, or loses its store's engine.
final class ConnectionBreaker: Sendable {
    private let open = Lock<(socket: Pipe, isClient: Bool)?>(nil)

    func attach(_ socket: Pipe, isClient: Bool) { open.withLock { $0 = (socket, isClient) } }

    func detach() { open.withLock { $0 = nil } }

    func dropConnection() async {
        let socket = open.withLock { $0?.socket }
        await socket?.drop()
    }

    /// Drops the client, as a bridge does that cannot reach its store.
    func loseClient() {
        guard let (socket, isClient) = open.withLock({ $0 }), isClient else { return }
        Task { await socket.drop() }
    }
}
