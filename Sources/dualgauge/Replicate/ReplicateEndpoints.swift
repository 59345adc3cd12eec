import ArgumentParser
import BridgeConfiguration
import Foundation
import Server
import Stores

/// The two ends of a replication: a store, and a server or a second store.
struct ReplicateEndpoints {
    /// The local store, which runs the replication.
    let local: String

    /// Whether a missing local store is created, which is the case if documents are pulled into it.
    let createsLocal: Bool
    let server: RemoteAddress?
    let otherStore: String?

    init(from: String, to: String) throws {
        switch (Self.isURL(from), Self.isURL(to)) {
        case (true, true): throw ValidationError("Both ends are servers; one has to be a store, such as shop.dualgauge.")
        case (true, false):
            (local, createsLocal, otherStore) = (try Self.store(to), true, nil)
            server = try Self.address(from)
        case (false, true):
            (local, createsLocal, otherStore) = (try Self.store(from), false, nil)
            server = try Self.address(to)
        case (false, false):
            (local, createsLocal, otherStore) = (try Self.store(from), false, try Self.store(to))
            server = nil
            guard try StoreArgument.location(from).identity() != StoreArgument.location(to).identity() else {
                throw ValidationError("Both ends are the same store.")
            }
        }
    }

    private static func isURL(_ text: String) -> Bool { text.contains("://") && !StoreLocation.isPostgreSQL(text) }

    private static func address(_ text: String) throws -> RemoteAddress {
        do {
            return try RemoteAddress(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    private static func store(_ path: String) throws -> String {
        if StoreLocation.isPostgreSQL(path) {
            _ = try StoreArgument.location(path)
            return path
        }
        let name = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard name.hasSuffix(".dualgauge") else {
            throw ValidationError("\(path) is not a store; a store is a folder such as shop.dualgauge. Other files are read by `migrate`.")
        }
        return name
    }
}
