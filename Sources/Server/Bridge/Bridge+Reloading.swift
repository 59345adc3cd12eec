package import BridgeConfiguration
import Coordination
import HTTP
import HTTPListener
import LegacyProtocol
import LegacyServer
import Logging
import UnixSignals

extension Bridge {
    /// Reads a new configuration.
    package typealias ConfigurationReader = @Sendable () async throws -> ServerConfiguration

    /// Applies a new configuration: adds, removes and changes databases, updates replications, and uses renewed certificates for new
    /// connections.
    ///
    /// Only clients of changed databases are disconnected.
    ///
    /// - Throws: `ConfigurationError` if the configuration cannot be used. Nothing has changed then.
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

    /// Applies the file's changes of logging, limits and the drain time. Without a change of logging in the file, the settings made on the admin port stay.
    private func adopt(_ new: ServerConfiguration) {
        file.withLock { file in
            if file.logging != new.logging { logging?.settings = new.logging }
            if file.limits != new.limits {
                for listener in legacyListeners { listener.change(LegacyLimits(new.limits)) }
                databases.memory.limit = new.limits.memory
            }
            file = (new.logging, new.limits, new.listen.drainTime)
        }
    }

    /// The changed settings that take effect only with a restart.
    private func waiting(_ new: ServerConfiguration) -> [String] {
        let (old, listen) = (configuration.listen, new.listen)
        return [
            ("listen.public", old.publicAddress != listen.publicAddress), ("listen.admin", old.adminAddress != listen.adminAddress),
            ("listen.tls", (old.tls == nil) != (listen.tls == nil)),
            ("listen.adminTLS", (old.adminTLS == nil) != (listen.adminTLS == nil)),
            ("serverHeader", configuration.serverHeader != new.serverHeader),
            ("listen.trustedProxies", old.trustedProxies != listen.trustedProxies),
            ("listen.blipCompression", old.blipCompression != listen.blipCompression),
            ("listen.discovery", old.discovery != listen.discovery),
            ("databasesFolder", configuration.databasesFolder != new.databasesFolder),
            ("allowFlush", configuration.allowsFlush != new.allowsFlush),
            ("limits.connections", configuration.limits.connections != new.limits.connections),
        ].filter(\.1).map(\.0)
    }

    /// Reloads the configuration at each signal, until cancelled.
    func reload(on signals: UnixSignalsSequence, from source: ConfigurationReader) async {
        for await _ in signals {
            do {
                // Log rotation has moved the file and expects a new one, even if the configuration is invalid.
                try audit.reopen()
                log(try await reload(try await source()))
            } catch let error as ConfigurationError {
                for finding in error.findings.dropFirst() {
                    logger.error("another mistake in the new configuration", metadata: ["error": "\(finding)"])
                }
                logger.error(
                    "the new configuration is refused; the old one stays in effect",
                    metadata: ["mistakes": "\(error.findings.count)", "error": "\(error.findings.first.map { "\($0)" } ?? "")"])
            } catch {
                logger.error("the new configuration is refused; the old one stays in effect", metadata: ["error": "\(error)"])
            }
        }
    }

    private func log(_ report: ReloadReport) {
        for (name, reason) in report.failed.sorted(by: { $0.key < $1.key }) {
            logger.error("a database keeps its old configuration", metadata: ["database": "\(name)", "error": "\(reason)"])
        }
        if !report.waiting.isEmpty {
            logger.warning(
                "these settings take effect only at the next start", metadata: ["settings": "\(report.waiting.joined(separator: ", "))"])
        }
        logger.info(
            "configuration reloaded",
            metadata: [
                "added": "\(report.added.joined(separator: ", "))", "changed": "\(report.changed.joined(separator: ", "))",
                "removed": "\(report.removed.joined(separator: ", "))", "certificate": "\(report.renewedCertificate ? "renewed" : "none")",
            ])
    }
}

/// The changes that a new configuration has made to a running bridge.
package struct ReloadReport: Sendable, Equatable {
    /// The newly served databases.
    package internal(set) var added: [String] = []

    /// The reconfigured databases, including those with changed replications.
    package internal(set) var changed: [String] = []

    /// The databases taken out of service. Their stores stay.
    package internal(set) var removed: [String] = []

    /// The errors of databases that could not be reconfigured, by name. They continue with their old configuration.
    package internal(set) var failed: [String: String] = [:]

    /// The changed settings that take effect only with a restart, by their path in the file, such as `listen.public`.
    package internal(set) var waiting: [String] = []

    /// Whether new connections get a renewed certificate.
    package internal(set) var renewedCertificate = false

    package init() {}
}
