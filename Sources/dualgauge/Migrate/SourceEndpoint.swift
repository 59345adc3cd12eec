import ArgumentParser
import BridgeConfiguration
import Foundation
import Gateway
import Logging
import Migration
import ReplicationService
import Scripting
import Server
import Storage
import Stores

/// A source of documents; the form of the ENDPOINT argument determines its kind.
struct SourceEndpoint {
    /// The options for reading from a server.
    struct Access {
        var connection: ReplicateConnection
        var collections: [CollectionName]

        /// The path of the target store. A 2.x+ server is replicated into a staging store beside it.
        var target: String

        /// The most documents a second to read from a 2.x+ server.
        var rate: Int?
    }

    private enum Form {
        case server(RemoteAddress)
        case store(StoreLocation)
        case file(String)
    }

    private let form: Form

    /// - Throws: `ValidationError` for an invalid endpoint.
    init(_ text: String) throws {
        if StoreLocation.isPostgreSQL(text) {
            form = .store(try StoreArgument.location(text))
            return
        }
        if text.contains("://") {
            do {
                form = .server(try RemoteAddress(text))
            } catch {
                throw ValidationError(error.message)
            }
            return
        }
        let path = text.hasSuffix("/") ? String(text.dropLast()) : text
        form = path.hasSuffix(".dualgauge") ? .store(.folder(path)) : .file(path)
    }

    /// Whether the source is a server. Others use it, so that a run slows down if the server does.
    var isServer: Bool { if case .server = form { true } else { false } }

    /// Whether the store has recorded that the 1.x server accepts only a single branch.
    func knowsSingleBranch(of server: SourceEndpoint) async throws -> Bool {
        guard case .store(let location) = form, case .server(let address) = server.form, address.isLegacy else { return false }
        let store = try await location.open(StoreOptions(createsIfMissing: false))
        let isSingleBranch = try await ReplicationBuilder.isSingleBranch(at: address, in: store)
        try await store.close()
        return isSingleBranch
    }

    /// Runs `body`, and closes the source on success and on failure.
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

    /// - Throws: ``SourceError``, `StorageError`, or an error in the login options.
    func open(_ access: Access, _ scripts: ScriptEngine, _ logger: Logger) async throws -> any MigrationSource {
        switch form {
        case .store(let location):
            return StoreSource(try await location.open(StoreOptions(createsIfMissing: false)), label: "\(location)")
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

/// Parses the collections of an option: `a.b,c.d`.
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
