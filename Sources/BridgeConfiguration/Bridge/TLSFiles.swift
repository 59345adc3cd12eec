import Foundation

/// The certificate files of a port, and the oldest TLS version that it accepts.
package struct TLSFiles: Hashable, Sendable {
    /// The oldest accepted TLS version.
    package enum MinimumVersion: String, CaseIterable, Sendable {
        /// For Couchbase Lite 1.x on old Apple systems, whose changes feed supports only this version.
        case tls10 = "1.0"
        case tls11 = "1.1"
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// The certificate chain, PEM.
    package var certificate: String
    /// The certificate's private key, PEM.
    package var key: String
    /// The certificate authorities for client certificates, PEM.
    package var clientCA: String?
    package var minimumVersion = MinimumVersion.tls12
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
        guard let certificate, let key else { throw ConfigurationNode.AlreadyReported() }
        self.init(certificate: certificate, key: key, clientCA: clientCA)
        minimumVersion = version ?? minimumVersion
    }
}
