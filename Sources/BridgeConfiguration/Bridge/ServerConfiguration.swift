import Foundation

/// The contents of `dualgauge.yaml`.
package struct ServerConfiguration: Sendable {
    package var listen = ListenConfiguration()
    package var databases: [ServedDatabase] = []

    /// The `Server` header.
    ///
    /// 1.x clients compare the text after the first slash as a string to find out the server's features, and a second slash breaks the .NET
    /// client's recognition (docs/protocol/legacy-1x.md#server-header).
    package var serverHeader = "Couchbase Sync Gateway/3.2 (Dualgauge \(ServerVersion.current))"

    package var limits = ServerLimits()
    package var logging = LogSettings()

    /// The admin port's accounts; `nil` if the admin port requires no login.
    package var adminAuth: AdminAuthConfiguration?

    /// The file that records changes made on the admin port; `nil` to record them in the log.
    package var auditFile: String?

    /// The folder for the stores of databases that are created on the admin port.
    package var databasesFolder = "databases"

    /// Whether `_flush` may empty databases that were created on the admin port.
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
        databasesFolder = members["databasesFolder"]?.read { try $0.storeHome(in: folder) } ?? Self.path(databasesFolder, in: folder)
        members["allowFlush"]?.read { allowsFlush = try $0.bool() }
        members["limits"]?.read { limits = try ServerLimits($0) }
        members["logging"]?.read { logging = try LogSettings($0) }
        members["adminAuth"]?.read { adminAuth = try AdminAuthConfiguration($0, listen: listen) }
        members["audit"]?.read { node in
            guard let file = try node.members(["file"])["file"] else { throw node.error(.missingKey, "`audit` needs `file`") }
            auditFile = Self.path(try file.nonEmptyText(), in: folder)
        }
        // Without `databases`, the databases are created on the admin port.
        members["databases"]?.read { databases = try Self.databases($0, folder: folder) }
        ListenRules(configuration: self, root: root).check()
        LoopRules(configuration: self, root: root).check()
        StoreRules.check(self, root)
    }

    private static func databases(_ node: ConfigurationNode, folder: URL) throws -> [ServedDatabase] {
        try node.anyMembers().compactMap { name, node in node.read { try ServedDatabase(name: name, $0, folder: folder) } }
    }

    /// Resolves a path from the file against the file's folder.
    static func path(_ text: String, in folder: URL) -> String {
        URL(fileURLWithPath: text, relativeTo: folder).standardizedFileURL.path
    }
}
