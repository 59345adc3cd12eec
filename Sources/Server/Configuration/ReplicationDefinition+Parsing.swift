import Access
import Documents
import Foundation
import Gateway
import HTTPTypes
import Yams

extension ReplicationDefinition {
    /// Reads one of a database's `replications`.
    ///
    /// - Parameter known: The database's collections.
    init(_ node: ConfigurationNode, folder: URL, collections known: Set<CollectionName>) throws {
        let members = try node.members([
            "remote", "direction", "continuous", "channels", "filter", "docIDs", "collections", "auth", "headers", "heartbeat",
            "maxAttempts",
            "maxAttemptWait", "pinnedCertificate", "selfSignedOnly", "resolver", "autoPurge", "deltaSync",
            "networkInterface",
        ])
        guard let remote = members["remote"] else {
            throw node.error(.missingKey, "the replication needs `remote`, such as `wss://example.com:4984/shop`")
        }
        let text = try remote.text()
        self.init(target: .server(try remote.naming { () throws(ReplicationSetupError) in try RemoteAddress(text) }))
        if let node = members["direction"] { direction = try node.choice(ReplicationDirection.self) }
        if let node = members["continuous"] { continuous = try node.bool() }
        channels = try members["channels"]?.texts() ?? []
        filter = try members["filter"].map { try ReplicationFilterChoice($0) }
        documentIDs = try members["docIDs"]?.texts() ?? []
        collections = try members["collections"].map { try ReplicatedName.all($0, known: known) } ?? []
        credentials = try members["auth"].map { try ReplicationCredentials($0, folder: folder) }
        headers = try members["headers"].map { try Self.headers($0) } ?? [:]
        if let node = members["heartbeat"] { heartbeat = Int(try node.duration(upTo: .seconds(3_600)).components.seconds) }
        if let node = members["maxAttempts"] { maxAttempts = try node.int(in: 0...1_000_000) }
        if let node = members["maxAttemptWait"] { maxAttemptWait = Int(try node.seconds(upTo: 86_400)) }
        pinnedCertificate = try members["pinnedCertificate"].map { try $0.file(in: folder) }
        if let node = members["selfSignedOnly"] { selfSignedOnly = try node.bool() }
        if let node = members["resolver"] { resolver = try ReplicationResolver(node, folder: folder) }
        if let node = members["autoPurge"] { purgesOnRemoval = try node.bool() }
        if let node = members["deltaSync"] { usesDeltas = try node.bool() }
        networkInterface = try members["networkInterface"]?.nonEmptyText()
        try node.naming { () throws(ReplicationSetupError) in try validate() }
    }

    private static func headers(_ node: ConfigurationNode) throws -> [String: Secret] {
        var headers: [String: Secret] = [:]
        for (name, value) in try node.anyMembers() {
            let text = try value.text()
            guard HTTPField.Name(name) != nil, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                throw value.error(.badValue, "`\(name)` cannot be a header: a name has letters, digits and `-`, a value no line breaks")
            }
            headers[name] = Secret(text)
        }
        return headers
    }
}

extension ReplicationFilterChoice {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["name", "javascript", "params"])
        switch (try members["name"]?.nonEmptyText(), try members["javascript"]?.nonEmptyText()) {
        case (let name?, nil): self.init(.named(name))
        case (nil, let source?): self.init(.javaScript(source))
        default:
            throw node.error(.badValue, "a filter has either `name`, one of the server's, or `javascript`, a function that is called here")
        }
        for (name, value) in try members["params"]?.anyMembers() ?? [] {
            parameters[name] = value.node.sequence == nil ? .string(try value.text()) : .array(try value.texts().map { .string($0) })
        }
    }
}

extension ReplicatedName {
    /// A list of collections, or a mapping of them to what the other side calls them.
    fileprivate static func all(_ node: ConfigurationNode, known: Set<CollectionName>) throws -> [ReplicatedName] {
        func name(_ text: String, _ node: ConfigurationNode) throws -> CollectionName {
            guard let name = CollectionName(text) else { throw node.error(.badValue, "`\(text)` is not a collection; write `scope.name`") }
            return name
        }
        func local(_ text: String, _ node: ConfigurationNode) throws -> CollectionName {
            let name = try name(text, node)
            guard known.contains(name) else {
                throw node.error(.badValue, "the database has no collection `\(name)`; add it to `collections`")
            }
            return name
        }
        guard node.node.mapping != nil else {
            return try node.items().map { ReplicatedName(try local(try $0.text(), $0)) }
        }
        return try node.anyMembers().map { ReplicatedName(try local($0, $1), remote: try name(try $1.text(), $1)) }
    }
}

extension ReplicationResolver {
    fileprivate init(_ node: ConfigurationNode, folder: URL) throws {
        if node.node.mapping != nil {
            guard let source = try node.members(["javascript"])["javascript"] else {
                throw node.error(.missingKey, "a resolver needs `javascript`, the function")
            }
            self = .javaScript(try source.nonEmptyText())
            return
        }
        let text = try node.text()
        if let resolver = ReplicationResolver(name: text) {
            self = resolver
        } else if text.hasSuffix(".js") {
            self = .javaScript(String(decoding: try node.file(in: folder), as: UTF8.self))
        } else {
            throw node.error(
                .badValue, "expected `default`, `local-wins`, `remote-wins`, a `.js` file or `{ javascript: … }`, not `\(text)`")
        }
    }
}
