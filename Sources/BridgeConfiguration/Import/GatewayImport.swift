import Access
import Documents

/// The configuration of a Sync Gateway, 1.x to 3.x, of files or of a running server, in the bridge's words.
package struct GatewayImport: Sendable {
    /// The largest file that is read, in bytes.
    package static let maximumSize = 16 << 20

    /// A setting that has no place here.
    package struct Dropped: Sendable, Hashable, Encodable {
        /// The way to it: `databases.shop.server`.
        package let path: String

        /// Why, and what to do.
        package let reason: String

        /// Whether something is different without it. Where the documents of a bucket lay is of no account; who may log in is.
        package let matters: Bool
    }

    package internal(set) var dropped: [Dropped] = []

    /// What was carried over and should be looked at.
    package internal(set) var notes: [String] = []

    /// The names of the databases.
    package internal(set) var databases: [String] = []

    let functions: GatewayFunctions

    /// What the file is called that comes of it.
    let fileName: String

    /// The running server that it was read from; `nil` for files.
    var origin: GatewayOrigin?

    var listen: [YAMLEntry] = []
    var entries: [YAMLEntry] = []

    /// Google and Facebook stand beside the databases in 1.x and 2.x, and hold for each.
    var sharedAuthenticators: [YAMLEntry] = []

    /// What `CORS` beside the databases says; it holds for each that says nothing else.
    var sharedOrigins: [YAMLEntry] = []

    /// How passwords are hashed.
    let hash: @Sendable (String) throws -> PasswordHash

    /// Reads files, fetches and compiles the functions in them and hashes the passwords, each of which takes a tenth of a second.
    ///
    /// - Parameters:
    ///   - files: a server's configuration, or a 3.x startup configuration and configurations of databases: names and bytes.
    ///   - fileName: what the file is called that comes of it.
    ///   - transport: fetches functions that are named by their URLs.
    /// - Throws: ``GatewayImportError``, with the file and the line.
    package static func read(
        _ files: [(name: String, bytes: [UInt8])], fileName: String, transport: GatewayTransport
    ) async throws -> GatewayImport {
        try await read(files, fileName: fileName, transport: transport) { try PasswordHash(of: $0) }
    }

    /// Reads what a running Sync Gateway says of itself, its databases, users and roles.
    ///
    /// - Parameter server: its admin port, such as `http://127.0.0.1:4985`, with user and password where it asks for them.
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
        // They name databases, which have to be known.
        for input in inputs where input.isServer {
            if case .array(let replications)? = input.section["replications"] { readServerReplications(replications) }
        }
        if let origin { addOriginNotes(origin) }
        guard !databases.isEmpty else {
            throw GatewayImportError(
                "\(inputs.map(\.name).joined(separator: ", ")): there is no database. Sync Gateway 3 keeps databases in its bucket: "
                    + "save what GET /DATABASE/_config on its admin port says, and give that file too, or read the running server with --from-server"
            )
        }
    }

    /// The file `dualgauge.yaml`.
    package var yaml: String {
        var head = ["Made from a Sync Gateway configuration by `dualgauge config import`."]
        if !notes.isEmpty { head += ["", "Look at:"] + notes.map { "- \($0)" } }
        if !dropped.isEmpty { head += ["", "Not carried over:"] + droppedLines.map { "- \($0)" } }
        let root: [YAMLEntry] = [
            YAMLEntry("listen", .mapping(listen)), YAMLEntry("databases", .mapping(entries)),
        ]
        return YAMLNode.comments(head) + YAMLNode.mapping(root).rendered
    }

    /// What is told of what has no place here: the settings that share a reason together.
    package var droppedLines: [String] {
        var reasons: [String] = []
        for setting in dropped where !reasons.contains(setting.reason) { reasons.append(setting.reason) }
        return reasons.map { reason in
            "\(dropped.filter { $0.reason == reason }.map(\.path).joined(separator: ", ")): \(reason)"
        }
    }

    private static func json(_ bytes: [UInt8], name: String) throws -> JSONValue {
        guard bytes.count <= maximumSize else {
            throw GatewayImportError("\(name): the file has more than \(maximumSize >> 20) MiB; is it a configuration?")
        }
        do {
            let dialect = try GatewayDialect(bytes)
            do {
                let json = try JSONValue(dialect.json, maximumDepth: 100)
                guard json.members != nil else { throw GatewayImportError("line 1: a configuration is an object in braces") }
                return json
            } catch let error as JSONError {
                throw GatewayImportError("line \(dialect.line(of: error.offset)): \(error.code)")
            }
        } catch let error as GatewayImportError {
            throw GatewayImportError("\(name): \(error.message)")
        }
    }

    /// Sync Gateway's own configuration, as opposed to that of one database in 3.x.
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

    /// Keeps entries only if the configuration would take them.
    mutating func checked(_ entries: [YAMLEntry], _ path: String, _ read: (ConfigurationNode) throws -> Void) -> [YAMLEntry] {
        guard let reason = YAMLEntry.refusal(of: entries, by: read) else { return entries }
        drop(path, reason)
        return []
    }

    /// Names the members of a section that nothing has looked at.
    ///
    /// - Parameters:
    ///   - read: those that something has, in small letters.
    ///   - useless: those that nothing here answers to, with the reason.
    mutating func dropOthers(_ section: GatewaySection, read: Set<String>, useless: [String: String] = [:]) {
        for member in section.members where !read.contains(member.key.lowercased()) {
            let reason = useless[member.key.lowercased()]
            drop(section.path(member.key), reason ?? Self.unknown, matters: reason == nil)
        }
    }

    static let unknown = "not known; is it a setting of Sync Gateway?"
}

/// A file that is no configuration of Sync Gateway.
package struct GatewayImportError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    package let message: String

    init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
