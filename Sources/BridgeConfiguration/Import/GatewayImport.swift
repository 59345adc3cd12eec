import Access
import Authentication
import Documents

/// A Sync Gateway configuration (1.x to 3.x, from files or a running server) translated into a bridge configuration.
package struct GatewayImport: Sendable {
    /// The size limit of an imported file, in bytes.
    package static let maximumSize = 16 << 20

    /// A setting without an equivalent in the bridge.
    package struct Dropped: Sendable, Hashable, Encodable {
        /// The path of the setting, such as `databases.shop.server`.
        package let path: String

        /// The reason, and what to do instead.
        package let reason: String

        /// Whether dropping the setting changes behaviour. A bucket's address does not matter; a login setting does.
        package let matters: Bool
    }

    package internal(set) var dropped: [Dropped] = []

    /// Imported settings that need a review.
    package internal(set) var notes: [String] = []

    /// The names of the databases.
    package internal(set) var databases: [String] = []

    let functions: GatewayFunctions

    /// The name of the file to write.
    let fileName: String

    /// The running server that the configuration was read from; `nil` for files.
    var origin: GatewayOrigin?

    var listen: [YAMLEntry] = []
    var entries: [YAMLEntry] = []

    /// Google and Facebook logins, which are server settings in 1.x and 2.x and apply to every database.
    var sharedAuthenticators: [YAMLEntry] = []

    /// The server's `CORS` settings, which apply to databases without their own.
    var sharedOrigins: [YAMLEntry] = []

    /// Hashes a password.
    let hash: @Sendable (String) throws -> PasswordHash

    /// Imports files: fetches and compiles their functions, and hashes their passwords, which takes a tenth of a second each.
    ///
    /// - Parameters:
    ///   - files: the names and bytes of a server's configuration, or of a 3.x startup configuration and of database configurations.
    ///   - fileName: the name of the file to write.
    ///   - transport: fetches functions that the configuration gives as URLs.
    /// - Throws: ``GatewayImportError``, with the file and the line.
    package static func read(
        _ files: [(name: String, bytes: [UInt8])], fileName: String, transport: GatewayTransport
    ) async throws -> GatewayImport {
        try await read(files, fileName: fileName, transport: transport) { try PasswordHash(of: $0) }
    }

    /// Imports a running Sync Gateway's configuration, databases, users and roles.
    ///
    /// - Parameter server: the URL of its admin port, such as `http://127.0.0.1:4985`, with user and password if the port requires them.
    /// - Throws: ``GatewayImportError``, or what the transport throws.
    package static func read(server: String, fileName: String, transport: GatewayTransport) async throws -> GatewayImport {
        let origin = try GatewayOrigin(server)
        let inputs = try await GatewayServer(url: origin.admin, transport: transport).inputs()
        let functions = await GatewayFunctions.collect(inputs.map(\.section), transport)
        return try GatewayImport(inputs, functions: functions, fileName: fileName, origin: origin) { try PasswordHash(of: $0) }
    }

    static func read(
        _ files: [(name: String, bytes: [UInt8])], fileName: String, transport: GatewayTransport,
        hash: @escaping @Sendable (String) throws -> PasswordHash
    ) async throws -> GatewayImport {
        let inputs = try files.map { file in
            let section = GatewaySection(try json(file.bytes, name: file.name), path: "")
            return GatewayInput(name: file.name, section: section, isServer: isServer(section))
        }
        let functions = await GatewayFunctions.collect(inputs.map(\.section), transport)
        return try GatewayImport(inputs, functions: functions, fileName: fileName, hash: hash)
    }

    private init(
        _ inputs: [GatewayInput], functions: GatewayFunctions, fileName: String, origin: GatewayOrigin? = nil,
        hash: @escaping @Sendable (String) throws -> PasswordHash
    ) throws {
        self.hash = hash
        self.functions = functions
        self.fileName = fileName
        self.origin = origin
        for input in inputs where input.isServer { try readServer(input.section) }
        for input in inputs where !input.isServer {
            let given = (input.section["name"] ?? input.section["bucket"])?.string
            try readDatabase(given ?? Self.stem(input.name), input.section)
            for unread in input.unread { drop(input.section.path(unread.path), unread.reason, matters: unread.matters) }
        }
        // The replications refer to databases, so the databases come first.
        for input in inputs where input.isServer {
            if case .array(let replications)? = input.section["replications"] { readServerReplications(replications) }
        }
        if let origin { addOriginNotes(origin) }
        guard !databases.isEmpty else {
            throw GatewayImportError(
                "\(inputs.map(\.name).joined(separator: ", ")): there is no database. Sync Gateway 3 keeps databases in its bucket: "
                    + "save the answer of GET /DATABASE/_config on its admin port, and give that file too, or read the running server with --from-server"
            )
        }
    }

    /// The contents of `dualgauge.yaml`.
    package var yaml: String {
        var head = ["Made from a Sync Gateway configuration by `dualgauge config import`."]
        if !notes.isEmpty { head += ["", "Look at:"] + notes.map { "- \($0)" } }
        if !dropped.isEmpty { head += ["", "Not carried over:"] + droppedLines.map { "- \($0)" } }
        let root: [YAMLEntry] = [
            YAMLEntry("listen", .mapping(listen)), YAMLEntry("databases", .mapping(entries)),
        ]
        return YAMLNode.comments(head) + YAMLNode.mapping(root).rendered
    }

    /// One line per reason, with all dropped settings that have this reason.
    package var droppedLines: [String] {
        var reasons: [String] = []
        for setting in dropped where !reasons.contains(setting.reason) { reasons.append(setting.reason) }
        return reasons.map { reason in
            "\(dropped.filter { $0.reason == reason }.map(\.path).joined(separator: ", ")): \(reason)"
        }
    }

    private static func json(_ bytes: [UInt8], name: String) throws -> JSONValue {
        guard bytes.count <= maximumSize else {
            throw GatewayImportError("\(name): the file has more than \(maximumSize >> 20) MiB; check that it is a configuration")
        }
        do {
            let dialect = try GatewayDialect(bytes)
            do {
                let json = try JSONValue(dialect.json, maximumDepth: 100)
                guard json.members != nil else { throw GatewayImportError("line 1: a configuration has to be an object in braces") }
                return json
            } catch let error as JSONError {
                throw GatewayImportError("line \(dialect.line(of: error.offset)): \(error.code)")
            }
        } catch let error as GatewayImportError {
            throw GatewayImportError("\(name): \(error.message)")
        }
    }

    /// Whether a section is a server's configuration, not that of one database in 3.x.
    private static func isServer(_ section: GatewaySection) -> Bool {
        ["databases", "bootstrap", "api", "interface", "admininterface"].contains { section[$0] != nil }
    }

    private static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.split(separator: ".").first.map(String.init) ?? name
    }

    mutating func drop(_ path: String, _ reason: String, matters: Bool = true) {
        dropped.append(Dropped(path: path, reason: reason, matters: matters))
    }

    /// Returns the entries if the bridge's configuration accepts them; otherwise drops them.
    mutating func checked(_ entries: [YAMLEntry], _ path: String, _ read: (ConfigurationNode) throws -> Void) -> [YAMLEntry] {
        guard let reason = YAMLEntry.refusal(of: entries, by: read) else { return entries }
        drop(path, reason)
        return []
    }

    /// Drops the members of a section that the import does not read.
    ///
    /// - Parameters:
    ///   - read: the keys that the import reads, in lower case.
    ///   - useless: the reasons for known settings without an equivalent in the bridge, by key in lower case.
    mutating func dropOthers(_ section: GatewaySection, read: Set<String>, useless: [String: String] = [:]) {
        for member in section.members where !read.contains(member.key.lowercased()) {
            let reason = useless[member.key.lowercased()]
            drop(section.path(member.key), reason ?? Self.unknown, matters: reason == nil)
        }
    }

    static let unknown = "unknown setting; check that it is a setting of Sync Gateway"
}

/// A Sync Gateway configuration that cannot be imported.
package struct GatewayImportError: Error, Sendable, CustomStringConvertible {
    /// The problem, its position, and what to do.
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
