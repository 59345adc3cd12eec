import ArgumentParser
import BridgeConfiguration
import Foundation
import Gateway
import Logging
import Migration
import ReplicationService
import SQLiteStorage
import Scripting
import Server
import Storage

/// An ENDPOINT that documents are read from: its form chooses what it is.
struct SourceEndpoint {
    /// What is needed to read from a server.
    struct Access {
        var connection: ReplicateConnection
        var collections: [CollectionName]

        /// The folder beside which a 2.x+ server is replicated into a store.
        var target: String

        /// The most documents a second that a 2.x+ server is asked for.
        var rate: Int?
    }

    private enum Form {
        case server(RemoteAddress)
        case store(String)
        case file(String)
    }

    private let form: Form

    /// - Throws: `ValidationError` for what is none.
    init(_ text: String) throws {
        if text.contains("://") {
            do {
                form = .server(try RemoteAddress(text))
            } catch {
                throw ValidationError(error.message)
            }
            return
        }
        let path = text.hasSuffix("/") ? String(text.dropLast()) : text
        form = path.hasSuffix(".dualgauge") ? .store(path) : .file(path)
    }

    /// Whether others use it, so that a run slows down when it does.
    var isServer: Bool { if case .server = form { true } else { false } }

    /// Whether a store knows of a 1.x server that it takes no branches.
    func knowsOneLine(of server: SourceEndpoint) async throws -> Bool {
        guard case .store(let path) = form, case .server(let address) = server.form, address.isLegacy else { return false }
        var options = SQLiteStore.Options()
        options.createsIfMissing = false
        let store = try SQLiteStore(path: path, options: options)
        let isOneLine = try await ReplicationBuilder.knowsOneLine(of: address, in: store)
        try await store.close()
        return isOneLine
    }

    /// Closes a source after `body`, whatever comes of it.
    static func closing<Value>(_ source: (any MigrationSource)?, _ body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            await source?.close()
            return value
        } catch {
            await source?.close()
            throw error
        }
    }

    /// - Throws: ``SourceError``, `StorageError`, or what is wrong with the login's options.
    func open(_ access: Access, _ scripts: ScriptEngine, _ logger: Logger) async throws -> any MigrationSource {
        switch form {
        case .store(let path):
            var options = SQLiteStore.Options()
            options.createsIfMissing = false
            return StoreSource(try SQLiteStore(path: path, options: options), label: path)
        case .file(let path): return try SourceOpener.open(path: path)
        case .server(let address) where address.isLegacy:
            var definition = ReplicationDefinition(target: .server(address))
            definition.direction = .pull
            try access.connection.apply(to: &definition)
            return LegacyServerSource(try ReplicationBuilder.reader(definition), label: "\(address)")
        case .server(let address): return try await StagedServer(address: address, access: access).open(scripts, logger)
        }
    }
}

/// Collections as an option names them: `a.b,c.d`.
enum CollectionList {
    static func names(_ text: String?) throws -> [CollectionName] {
        try (text ?? "").split(separator: ",").map { part in
            guard let name = CollectionName(String(part)) else {
                throw ValidationError("\(part) is not a collection; write scope.name.")
            }
            return name
        }
    }
}
