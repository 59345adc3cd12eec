import Foundation

/// What `dualgauge.yaml` says.
package struct ServerConfiguration: Sendable {
    package var listen = ListenConfiguration()
    package var databases: [ServedDatabase] = []

    /// The `Server` header. 1.x clients compare what follows the first slash as a string to decide what the server can do,
    /// and a second slash breaks the .NET client's recognition (docs/protocol/legacy-1x.md#server-header).
    package var serverHeader = "Couchbase Sync Gateway/3.2 (Dualgauge \(ServerVersion.current))"

    package var limits = ServerLimits()
    package var logging = LogSettings()

    /// Who may log in at the admin port; `nil` if nobody has to.
    package var adminAuth: AdminAuthConfiguration?

    /// The file in which is written what was changed on the admin port; `nil` for the log.
    package var auditFile: String?

    /// Where the stores lie of databases that are made on the admin port.
    package var databasesFolder = "databases"

    /// Whether those may be emptied by `_flush`.
    package var allowsFlush = false

    package init() {}
}

extension ServerConfiguration {
    init(_ root: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try root.members([
            "listen", "databases", "databasesFolder", "allowFlush", "serverHeader", "limits", "logging", "adminAuth", "audit",
        ])
        members["listen"]?.read { listen = try ListenConfiguration($0, folder: folder) }
        members["serverHeader"]?.read { serverHeader = try $0.text() }
        databasesFolder = Self.path(members["databasesFolder"]?.read { try $0.text() } ?? databasesFolder, in: folder)
        members["allowFlush"]?.read { allowsFlush = try $0.bool() }
        members["limits"]?.read { limits = try ServerLimits($0) }
        members["logging"]?.read { logging = try LogSettings($0) }
        members["adminAuth"]?.read { adminAuth = try AdminAuthConfiguration($0, listen: listen) }
        members["audit"]?.read { node in
            guard let file = try node.members(["file"])["file"] else { throw node.error(.missingKey, "`audit` needs `file`") }
            auditFile = Self.path(try file.nonEmptyText(), in: folder)
        }
        // Without one, databases are made on the admin port.
        members["databases"]?.read { databases = try Self.databases($0, folder: folder) }
        ListenRules(configuration: self, root: root).check()
        LoopRules(configuration: self, root: root).check()
        StoreRules.check(self, root)
    }

    private static func databases(_ node: ConfigurationNode, folder: URL) throws -> [ServedDatabase] {
        try node.anyMembers().compactMap { name, node in node.read { try ServedDatabase(name: name, $0, folder: folder) } }
    }

    /// A path in the file is relative to the file's folder.
    static func path(_ text: String, in folder: URL) -> String {
        URL(fileURLWithPath: text, relativeTo: folder).standardizedFileURL.path
    }
}
