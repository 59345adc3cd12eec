import Access
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyServer
import Logging
import ModernProtocol
import ModernServer
import NIOCore
import SQLiteStorage
import Scripting
import Storage

/// A server of this package in the test process: a database over a store on the disk, and both listeners.
final class Node {
    let name: String
    private(set) var database: Database
    private(set) var store: MortalStore
    private var configuration: DatabaseConfiguration
    let folder: String
    private let breaker = ConnectionBreaker()
    private var generation = 0
    private let legacy = LegacyListener(logger: Logger.silent)
    private let modern = ModernListener(logger: Logger.silent)

    /// Whether it has small sequences, as nearly all old servers do.
    let countsLow: Bool

    /// Whether it keeps a single branch of each document, as a Sync Gateway with `allow_conflicts: false`.
    var refusesBranches: Bool { configuration.conflicts == .refuse }

    /// The clients' old server, while it is asked for their checkpoints.
    var predecessor: Node?

    /// - Parameters:
    ///   - folder: The folder for its stores; it exists.
    ///   - countsHigh: Whether an old server's sequences are as high as those of a bridge.
    init(_ configuration: DatabaseConfiguration, in folder: String, countsHigh: Bool = false) async throws {
        name = configuration.name
        countsLow = configuration.name == DatabaseConfiguration.old.name && !countsHigh
        self.configuration = configuration
        self.folder = folder
        (store, database) = try await Self.open(configuration, folder, 0, breaker)
    }

    private static func open(
        _ configuration: DatabaseConfiguration, _ folder: String, _ generation: Int, _ breaker: ConnectionBreaker
    ) async throws -> (MortalStore, Database) {
        var options = SQLiteStore.Options()
        options.readerCount = 1
        // No other process has the store open, so commits of others are not polled.
        options.pollInterval = .seconds(3_600)
        let store = MortalStore(
            try SQLiteStore(path: path(folder, configuration.name, generation), options: options),
            remains: path(folder, configuration.name, generation + 1)
        ) { await breaker.dropConnection() }
        let database = try await Database(configuration: configuration, store: store, scripts: ScriptEngine(), logger: Logger.silent)
        return (store, database)
    }

    private static func path(_ folder: String, _ name: String, _ generation: Int) -> String {
        "\(folder)/\(name)-\(generation).dualgauge"
    }

    var isDown: Bool { store.isDead }

    /// Schedules the server's crash, if the fault is a crash.
    func arm(_ fault: Fault?) { store.arm(fault) }

    /// Stops in order and starts again, possibly with another configuration.
    func restart(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) async throws {
        change(&configuration)
        try await database.close()
        (store, database) = try await Self.open(configuration, folder, generation, breaker)
    }

    /// Starts with the files of a crash, if there was one.
    func recover() async throws {
        guard isDown else { return }
        try await database.close()
        try FileManager.default.removeItem(atPath: Self.path(folder, name, generation))
        generation += 1
        (store, database) = try await Self.open(configuration, folder, generation, breaker)
    }

    /// Starts with the files of a backup, in place of its own.
    ///
    /// - Parameter raisesFence: Whether it is restored as by the command `restore`. Other servers are restored by a copy of their files.
    func restore(_ backup: String, raisesFence: Bool) async throws {
        try await database.close()
        try FileManager.default.removeItem(atPath: Self.path(folder, name, generation))
        generation += 1
        let path = Self.path(folder, name, generation)
        try SQLiteStore.restore(from: backup, to: path)
        if raisesFence {
            let store = try SQLiteStore(path: path)
            // The width of the gap depends on the time.
            try await store.raiseFence(at: Date(timeIntervalSince1970: Double(3_600 * generation)))
            try await store.close()
        }
        (store, database) = try await Self.open(configuration, folder, generation, breaker)
    }

    func close() async throws { try await database.close() }

    /// A server that could take this one's place.
    struct Substitute {
        let database: Database
        let store: MortalStore
        let responder: Responder
    }

    /// Creates another server from a backup, which runs beside this one.
    func substitute(from backup: String) async throws -> Substitute {
        try SQLiteStore.restore(from: backup, to: Self.path(folder, name, generation + 1))
        let (store, database) = try await Self.open(configuration, folder, generation + 1, breaker)
        let responder = Responder(
            database: database, listener: legacy, principal: .administrator, countsLow: countsLow, inherits: predecessor?.database)
        return Substitute(database: database, store: store, responder: responder)
    }

    /// Hands its place over to another server.
    func handOver(to substitute: Substitute) async throws {
        try await database.close()
        try FileManager.default.removeItem(atPath: Self.path(folder, name, generation))
        generation += 1
        (store, database) = (substitute.store, substitute.database)
    }

    /// Removes a server that was not needed.
    func discard(_ substitute: Substitute) async throws {
        try await substitute.database.close()
        try FileManager.default.removeItem(atPath: Self.path(folder, name, generation + 1))
    }

    /// The keyspace of a client's name.
    func keyspace(_ name: String) -> Keyspace {
        CollectionName(name).flatMap { name.isEmpty ? nil : database.keyspace($0) } ?? database.unified
    }

    // MARK: What clients use

    /// The 1.x side.
    func responder(for principal: Principal) -> Responder {
        Responder(database: database, listener: legacy, principal: principal, countsLow: countsLow, inherits: predecessor?.database)
    }

    /// Serves a 2.x+ client's connection until it ends.
    func serve(_ socket: Pipe, as principal: Principal, _ subprotocol: Subprotocol) -> Task<Void, Never> {
        let modern = modern, database = database, breaker = breaker
        let origin = predecessor.map { Predecessor(database: $0.database) }
        return Task {
            await breaker.attach(socket)
            await modern.serve(socket, database: database, principal: principal, subprotocol: subprotocol, origin: origin)
            await breaker.detach()
        }
    }

    /// Closes a connection of the server itself, too, when the server crashes.
    ///
    /// - Returns: A closure that ends this.
    func watch(_ socket: Pipe) async -> () async -> Void {
        let breaker = breaker
        await breaker.attach(socket)
        return { await breaker.detach() }
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() } }
}

/// Ends an open connection when a server crashes.
actor ConnectionBreaker {
    private var socket: Pipe?

    func attach(_ socket: Pipe) { self.socket = socket }

    func detach() { socket = nil }

    func dropConnection() async { await socket?.drop() }
}
