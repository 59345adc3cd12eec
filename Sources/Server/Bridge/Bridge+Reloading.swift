package import BridgeConfiguration
import HTTP
import LegacyProtocol
import LegacyServer
import Logging
import Synchronization
import UnixSignals

extension Bridge {
    /// Where a new configuration comes from.
    package typealias ConfigurationSource = @Sendable () async throws -> ServerConfiguration

    /// Takes a new configuration: databases come, go and change, replications follow, and new connections get the certificates that its files
    /// hold now. Who is connected stays so, but for the clients of databases that changed.
    ///
    /// - Throws: `ConfigurationError` if it cannot be used; then nothing has changed.
    @discardableResult
    package func reload(_ new: ServerConfiguration) async throws -> ReloadReport {
        try await ConfigurationScripts.validate(new)
        let certificates = try new.listen.tls.map { try $0.load() }
        let adminCertificates = try new.listen.adminTLS.map { try $0.load(at: "listen.adminTLS") }
        let logins = try await adminAccess.prepare(new.adminAuth)
        try audit.reopen(new.auditFile)
        var report = ReloadReport()
        if let certificates, let tls {
            try TLSFiles.usable { try tls.reload(certificates) }
            report.renewedCertificate = true
        }
        if let adminCertificates, let adminTLS {
            try TLSFiles.usable(at: "listen.adminTLS") { try adminTLS.reload(adminCertificates) }
            report.renewedCertificate = true
        }
        adminAccess.adopt(logins)
        adopt(new)
        let renewed = report.renewedCertificate
        report = await databases.reload(new.databases)
        report.renewedCertificate = renewed
        report.waiting = waiting(new)
        return report
    }

    /// What the file says differently of logs and limits holds from now on; else what the admin port said of logs stays.
    private func adopt(_ new: ServerConfiguration) {
        file.withLock { file in
            if file.logging != new.logging { logging?.settings = new.logging }
            if file.limits != new.limits {
                for listener in legacyListeners { listener.change(LegacyLimits(new.limits)) }
                databases.memory.limit = new.limits.memory
            }
            file = (new.logging, new.limits)
        }
    }

    /// The settings that cannot be changed while the bridge runs.
    private func waiting(_ new: ServerConfiguration) -> [String] {
        let (old, listen) = (configuration.listen, new.listen)
        return [
            ("listen.package", old.publicAddress != listen.publicAddress), ("listen.admin", old.adminAddress != listen.adminAddress),
            ("listen.tls", (old.tls == nil) != (listen.tls == nil)),
            ("listen.adminTLS", (old.adminTLS == nil) != (listen.adminTLS == nil)),
            ("serverHeader", configuration.serverHeader != new.serverHeader),
            ("listen.trustedProxies", old.trustedProxies != listen.trustedProxies),
            ("listen.blipCompression", old.blipCompression != listen.blipCompression),
            ("databasesFolder", configuration.databasesFolder != new.databasesFolder),
            ("allowFlush", configuration.allowsFlush != new.allowsFlush),
            ("limits.connections", configuration.limits.connections != new.limits.connections),
        ].filter(\.1).map(\.0)
    }

    /// Reads the configuration anew with each of the signals, until it is cancelled.
    func reload(on signals: UnixSignalsSequence, from source: ConfigurationSource) async {
        for await _ in signals {
            do {
                // Whoever has moved the file away wants another one, whatever the configuration is like.
                try audit.reopen()
                tell(try await reload(try await source()))
            } catch let error as ConfigurationError {
                for finding in error.findings.dropFirst() {
                    logger.error("a further mistake in the new configuration", metadata: ["error": "\(finding)"])
                }
                logger.error(
                    "the new configuration is refused; the old one goes on",
                    metadata: ["mistakes": "\(error.findings.count)", "error": "\(error.findings.first.map { "\($0)" } ?? "")"])
            } catch {
                logger.error("the new configuration is refused; the old one goes on", metadata: ["error": "\(error)"])
            }
        }
    }

    private func tell(_ report: ReloadReport) {
        for (name, reason) in report.failed.sorted(by: { $0.key < $1.key }) {
            logger.error("a database goes on as it was", metadata: ["database": "\(name)", "error": "\(reason)"])
        }
        if !report.waiting.isEmpty {
            logger.warning(
                "these settings change with the next start only", metadata: ["settings": "\(report.waiting.joined(separator: ", "))"])
        }
        logger.info(
            "configuration reloaded",
            metadata: [
                "added": "\(report.added.joined(separator: ", "))", "changed": "\(report.changed.joined(separator: ", "))",
                "removed": "\(report.removed.joined(separator: ", "))", "certificate": "\(report.renewedCertificate ? "renewed" : "none")",
            ])
    }
}

/// What a new configuration has changed in a running bridge.
package struct ReloadReport: Sendable, Equatable {
    /// The databases that are served now and were not.
    package internal(set) var added: [String] = []

    /// The databases that were configured anew, their replications among it.
    package internal(set) var changed: [String] = []

    /// The databases that are served no more. Their stores stay.
    package internal(set) var removed: [String] = []

    /// Why databases are not what the configuration says, by name. They go on as they were.
    package internal(set) var failed: [String: String] = [:]

    /// The settings that hold from the next start on only, as the file has them: `listen.public`.
    package internal(set) var waiting: [String] = []

    /// Whether new connections get the certificate that was read now.
    package internal(set) var renewedCertificate = false

    package init() {}
}
