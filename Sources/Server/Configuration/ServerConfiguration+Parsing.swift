import Foundation
import HTTP
import Yams

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

extension ListenConfiguration {
    init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(["public", "admin", "tls", "adminTLS", "trustedProxies", "blipCompression"])
        func address(_ node: ConfigurationNode) throws -> ListenAddress {
            let text = try node.text()
            guard let address = ListenAddress(text) else {
                throw node.error(.badValue, "expected an address such as `127.0.0.1:4984`, not `\(text)`")
            }
            return address
        }
        members["public"]?.read { publicAddress = try address($0) }
        members["admin"]?.read { adminAddress = try address($0) }
        members["tls"]?.read { tls = try TLSFiles($0, folder: folder) }
        members["adminTLS"]?.read { adminTLS = try TLSFiles($0, folder: folder) }
        members["blipCompression"]?.read { blipCompression = try $0.int(in: 0...9) }
        members["trustedProxies"]?.read { node in
            trustedProxies = TrustedProxies(
                try node.texts().map { text in
                    guard let range = AddressRange(text) else {
                        throw node.error(.badValue, "expected an address or a network such as `10.0.0.0/8`, not `\(text)`")
                    }
                    return range
                })
        }
    }
}

extension TLSFiles {
    init(_ node: ConfigurationNode, folder: URL) throws {
        let members = try node.members(["certificate", "key", "clientCA", "minimumVersion"])
        func path(_ key: String) -> String? {
            members[key]?.read { ServerConfiguration.path(try $0.nonEmptyText(), in: folder) }
        }
        let (certificate, key, clientCA) = (path("certificate"), path("key"), path("clientCA"))
        let version = members["minimumVersion"]?.read { try $0.choice(MinimumVersion.self) }
        guard members["certificate"] != nil, members["key"] != nil else {
            throw node.error(.missingKey, "TLS needs `certificate` and `key`, both PEM files")
        }
        guard let certificate, let key else { throw ConfigurationNode.AlreadyNoted() }
        self.init(certificate: certificate, key: key, clientCA: clientCA)
        minimumVersion = version ?? minimumVersion
    }
}
