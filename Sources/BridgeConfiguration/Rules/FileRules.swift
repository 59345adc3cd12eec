import Access
import Authentication
import Foundation
import Gateway
import NIOSSL

/// Checks the files that a configuration names and that the server opens.
enum FileRules {
    static func check(_ configuration: ServerConfiguration, _ root: ConfigurationNode) {
        for (name, files) in [("tls", configuration.listen.tls), ("adminTLS", configuration.listen.adminTLS)] {
            guard let files, let listen = root["listen"] else { continue }
            do {
                try files.validate(at: "listen.\(name)")
            } catch let error as ConfigurationError {
                for finding in error.findings {
                    // The findings of the TLS files have no position, because each start creates them without a parsed file. The nodes have
                    // positions.
                    let key = finding.path.split(separator: ".").dropFirst(2).first.map(String.init)
                    (key.flatMap { listen[name]?[$0] } ?? listen[name] ?? listen).refuse(finding.code, finding.message)
                }
            } catch {
                listen.refuse(.badFile, "\(error)")
            }
        }
        if let file = configuration.auditFile, !isWritable(file) {
            (root["audit"]?["file"] ?? root).refuse(
                .badFile, "\(file) cannot be written; give a file in a folder that the bridge may write to")
        }
        for database in configuration.databases {
            let node = root["databases"]?[database.configuration.name]
            if let file = database.authenticators.authorityFile, !FileManager.default.isReadableFile(atPath: file) {
                node?["authenticators"]?["authorities"]?.refuse(
                    .badFile, "\(file) cannot be read; check the path and its permissions")
            }
            for (name, replication) in database.replications {
                guard case .clientCertificate(let chain, let key)? = replication.credentials,
                    let login = node?["replications"]?[name]?["auth"]?["clientCertificate"]
                else { continue }
                check(chain, Array(key.revealed.utf8), login)
            }
            for (key, programs) in [("before", database.cutover?.hooks.before), ("after", database.cutover?.hooks.after)] {
                for program in programs ?? [] where !FileManager.default.isExecutableFile(atPath: program) {
                    node?["cutover"]?["hooks"]?[key]?.warn(
                        .badFile, "\(program) is not an executable program; a step that calls it would fail")
                }
            }
        }
    }

    /// Whether a file can be appended to, or created if it does not exist.
    private static func isWritable(_ file: String) -> Bool {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: file, isDirectory: &isFolder) { return !isFolder.boolValue && files.isWritableFile(atPath: file) }
        return files.isWritableFile(atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path)
    }

    /// Checks the certificate and the key of a replication.
    private static func check(_ chain: [UInt8], _ key: [UInt8], _ login: ConfigurationNode) {
        let certificates = (try? NIOSSLCertificate.fromPEMBytes(chain)) ?? []
        let privateKey = try? NIOSSLPrivateKey(bytes: key, format: .pem)
        if certificates.isEmpty { login["certificate"]?.refuse(.badFile, "this is not a PEM file with a certificate") }
        if privateKey == nil { login["key"]?.refuse(.badFile, "this is not a PEM file with a private key that is not encrypted") }
        guard !certificates.isEmpty, let privateKey else { return }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateChain = certificates.map { .certificate($0) }
        configuration.privateKey = .privateKey(privateKey)
        if !configuration.hasMatchingKey { login["key"]?.refuse(.badFile, "the key does not belong to the certificate") }
    }
}
