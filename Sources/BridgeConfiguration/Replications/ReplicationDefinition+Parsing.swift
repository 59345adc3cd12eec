import Access
import Documents
import Foundation
import Gateway
import HTTPTypes
import Yams

extension ReplicationDefinition {
    /// Reads one of a database's `replications`.
    ///
    /// - Parameter known: The database's collections; `nil` if they could not be parsed.
    init(_ node: ConfigurationNode, folder: URL, collections known: Set<CollectionName>?) throws {
        let members = try node.members([
            "remote", "direction", "continuous", "channels", "filter", "docIDs", "collections", "auth", "headers", "heartbeat",
            "maxAttempts",
            "maxAttemptWait", "pinnedCertificate", "selfSignedOnly", "resolver", "autoPurge", "deltaSync", "versions",
            "networkInterface", "proxy", "createTarget",
        ])
        let remote = members["remote"]?.read { node in
            let text = try node.text()
            return try node.convertingSetupErrors { () throws(ReplicationSetupError) in try RemoteAddress(text) }
        }
        if members["remote"] == nil {
            node.refuse(.missingKey, "the replication needs `remote`, such as `wss://example.com:4984/shop`")
        }
        // Without an address, the rest is parsed with a placeholder, so that its errors are reported, too.
        self.init(target: .server(try remote ?? RemoteAddress("ws://localhost/database")))
        members["direction"]?.read { direction = try $0.choice(DefinedDirection.self) }
        members["continuous"]?.read { continuous = try $0.bool() }
        channels = members["channels"]?.read { try $0.texts() } ?? []
        filter = members["filter"]?.read { try ReplicationFilterChoice($0) }
        documentIDs = members["docIDs"]?.read { try $0.texts() } ?? []
        collections = members["collections"]?.read { try ReplicatedName.all($0, known: known) } ?? []
        credentials = members["auth"]?.read { try ReplicationCredentials($0, folder: folder) }
        headers = members["headers"]?.read { try Self.headers($0) } ?? [:]
        members["heartbeat"]?.read { heartbeat = Int(try $0.duration(upTo: .seconds(3_600)).components.seconds) }
        members["maxAttempts"]?.read { maxAttempts = try $0.int(in: 0...1_000_000) }
        members["maxAttemptWait"]?.read { maxAttemptWait = Int(try $0.seconds(upTo: 86_400)) }
        pinnedCertificate = members["pinnedCertificate"]?.read { try $0.file(in: folder) }
        members["selfSignedOnly"]?.read { selfSignedOnly = try $0.bool() }
        members["resolver"]?.read { resolver = try ReplicationResolver($0, folder: folder) }
        members["autoPurge"]?.read { purgesOnRemoval = try $0.bool() }
        members["deltaSync"]?.read { usesDeltas = try $0.bool() }
        members["versions"]?.read { prefersVersions = try $0.bool() }
        members["createTarget"]?.read { createsTarget = try $0.bool() }
        networkInterface = members["networkInterface"]?.read { try $0.nonEmptyText() }
        proxy = members["proxy"]?.read { node in
            let text = try node.text()
            return try node.convertingSetupErrors { () throws(ReplicationSetupError) in try ReplicationProxy(text) }
        }
        guard remote != nil else { throw ConfigurationNode.AlreadyReported() }
        try node.convertingSetupErrors { () throws(ReplicationSetupError) in try validate() }
    }

    private static func headers(_ node: ConfigurationNode) throws -> [String: Secret] {
        var headers: [String: Secret] = [:]
        for (name, value) in try node.anyMembers() {
            guard let text = value.read({ try $0.text() }) else { continue }
            guard HTTPField.Name(name) != nil, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                value.refuse(.badValue, "`\(name)` cannot be a header: a name has letters, digits and `-`, a value no line breaks")
                continue
            }
            headers[name] = Secret(text)
        }
        return headers
    }
}

extension ReplicationFilterChoice {
    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["name", "javascript", "params"])
        switch (try members["name"]?.nonEmptyText(), try members["javascript"]?.nonEmptyScript(.filter)) {
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
    /// Reads a list of collections, or a mapping of them to the names of the other side.
    fileprivate static func all(_ node: ConfigurationNode, known: Set<CollectionName>?) throws -> [ReplicatedName] {
        func name(_ text: String, _ node: ConfigurationNode) throws -> CollectionName {
            guard let name = CollectionName(text) else { throw node.error(.badValue, "`\(text)` is not a collection; write `scope.name`") }
            return name
        }
        func local(_ text: String, _ node: ConfigurationNode) throws -> CollectionName {
            let name = try name(text, node)
            guard known?.contains(name) ?? true else {
                throw node.error(.badValue, "the database has no collection `\(name)`; add it to `collections`")
            }
            return name
        }
        guard node.node.mapping != nil else {
            return try node.items().compactMap { item in item.read { ReplicatedName(try local(try $0.text(), $0)) } }
        }
        return try node.anyMembers().compactMap { own, node in
            node.read { ReplicatedName(try local(own, $0), remote: try name(try $0.text(), $0)) }
        }
    }
}

extension ReplicationResolver {
    fileprivate init(_ node: ConfigurationNode, folder: URL) throws {
        if node.node.mapping != nil {
            guard let source = try node.members(["javascript"])["javascript"] else {
                throw node.error(.missingKey, "a resolver needs `javascript`, the function")
            }
            self = .javaScript(try source.nonEmptyScript(.resolver))
            return
        }
        let text = try node.text()
        if let resolver = ReplicationResolver(name: text) {
            self = resolver
        } else if text.hasSuffix(".js") {
            self = .javaScript(try node.scriptFile(.resolver, in: folder))
        } else {
            throw node.error(
                .badValue, "expected `default`, `local-wins`, `remote-wins`, a `.js` file or `{ javascript: … }`, not `\(text)`")
        }
    }
}
