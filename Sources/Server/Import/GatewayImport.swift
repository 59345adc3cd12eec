import Access
import Documents

/// Configuration files of Sync Gateway, 1.x to 3.x, in the bridge's words.
public struct GatewayImport: Sendable {
    /// The largest file that is read, in bytes.
    public static let maximumSize = 16 << 20

    /// A setting that has no place here.
    public struct Dropped: Sendable, Hashable, Encodable {
        /// The way to it: `databases.shop.server`.
        public let path: String

        /// Why, and what to do.
        public let reason: String

        /// Whether something is different without it. Where the documents of a bucket lay is of no account; who may log in is.
        public let matters: Bool
    }

    public internal(set) var dropped: [Dropped] = []

    /// What was carried over and should be looked at.
    public internal(set) var notes: [String] = []

    /// The names of the databases.
    public internal(set) var databases: [String] = []

    /// What is wrong with functions that do not compile, by their source.
    let faults: [String: String]

    var listen: [YAMLEntry] = []
    var entries: [YAMLEntry] = []

    /// Google and Facebook stand beside the databases in 1.x and 2.x, and hold for each.
    var sharedAuthenticators: [YAMLEntry] = []

    /// What `CORS` beside the databases says; it holds for each that says nothing else.
    var sharedOrigins: [YAMLEntry] = []

    /// How passwords are hashed.
    let hash: @Sendable (String) throws -> PasswordHash

    /// Reads files, compiles the functions in them and hashes the passwords, each of which takes a tenth of a second.
    ///
    /// - Parameter files: a server's configuration, or a 3.x startup configuration and configurations of databases: names and bytes.
    /// - Throws: ``GatewayImportError``, with the file and the line.
    public static func read(_ files: [(name: String, bytes: [UInt8])]) async throws -> GatewayImport {
        try await read(files) { try PasswordHash(of: $0) }
    }

    static func read(
        _ files: [(name: String, bytes: [UInt8])], hash: @escaping @Sendable (String) throws -> PasswordHash
    ) async throws -> GatewayImport {
        let sections = try files.map { (name: $0.name, section: GatewaySection(try json($0.bytes, name: $0.name), path: "")) }
        return try GatewayImport(sections, faults: await GatewayFunctions.faults(in: sections.map(\.section)), hash: hash)
    }

    private init(
        _ sections: [(name: String, section: GatewaySection)], faults: [String: String],
        hash: @escaping @Sendable (String) throws -> PasswordHash
    ) throws {
        self.hash = hash
        self.faults = faults
        let (databases, servers) = (sections.filter { !Self.isServer($0.section) }, sections.filter { Self.isServer($0.section) })
        for server in servers { try readServer(server.section) }
        for database in databases {
            let given = (database.section["name"] ?? database.section["bucket"])?.string
            try readDatabase(given ?? Self.stem(database.name), database.section)
        }
        guard !self.databases.isEmpty else {
            throw GatewayImportError(
                "\(sections.map(\.name).joined(separator: ", ")): there is no database. Sync Gateway 3 keeps databases in its bucket: "
                    + "save what GET /DATABASE/_config on its admin port says, and give that file too")
        }
    }

    /// The file `dualgauge.yaml`.
    public var yaml: String {
        var head = ["Made from a Sync Gateway configuration by `dualgauge config import`."]
        if !notes.isEmpty { head += ["", "Look at:"] + notes.map { "- \($0)" } }
        if !dropped.isEmpty { head += ["", "Not carried over:"] + droppedLines.map { "- \($0)" } }
        let root: [YAMLEntry] = [
            YAMLEntry("listen", .mapping(listen)), YAMLEntry("databases", .mapping(entries)),
        ]
        return YAMLNode.comments(head) + YAMLNode.mapping(root).rendered
    }

    /// What is told of what has no place here: the settings that share a reason together.
    public var droppedLines: [String] {
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
}
