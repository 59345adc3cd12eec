import Authentication
import BridgeConfiguration
import Cutover
import Gateway
import HTTP
import LegacyProtocol
import Logging
import NIOSSL
import PassThrough
import Storage
import Telemetry

extension DeviceRouter {
    /// Makes the router of a database.
    ///
    /// - Returns: `nil` if the configuration has no `cutover.devices`.
    /// - Throws: Errors of the store and of the file of authorities.
    convenience init?(
        _ served: ServerConfiguration.ServedDatabase, _ stage: CutoverStage, access: DatabaseAccess, database: Database, store: any Store,
        metrics: MetricsRegistry, limits: LegacyLimits, memory: MemoryAccount, logger: Logger
    ) async throws {
        guard let devices = served.cutover?.devices, let upstream = served.authenticators.upstream,
            let server = OldServer(upstream.database.url)
        else { return nil }
        let state = try await DeviceJournal(store: store).state(configured: devices.rules)
        let rules = state.rules
        if rules != devices.rules {
            logger.notice(
                "devices are moved by the rules of the admin port, not by those of the configuration",
                metadata: ["difference": "\(rules.change(from: devices.rules))"])
        }
        var tls = ClientTLS()
        if let file = served.authenticators.authorityFile { tls.trust = .authorities(try NIOSSLCertificate.fromPEMFile(file)) }
        let identifier = DeviceIdentifier(access: access, database: database)
        let comparer =
            devices.comparedReads == .none
            ? nil
            : ReadComparer(
                devices.comparedReads, of: database, accounts: access.accounts, identifier: identifier, limits: limits, memory: memory,
                results: ComparedReads(metrics), logger: logger)
        let pendingMoves = served.cutover.flatMap { cutover in
            served.replications[cutover.legacy].map {
                PendingMoves(CatchUp(database: database, definition: $0), logger: logger)
            }
        }
        self.init(
            server, client: PassThroughClient(server, tls: tls), identifier: identifier,
            rules: rules, stage: stage, figures: DeviceFigures(metrics), comparer: comparer,
            pendingMoves: pendingMoves)
        // The devices may have been moved by the configuration, or just before the last end.
        if stage == .dual, let pendingMoves, state.before.movesBack(from: rules) {
            pendingMoves.finish(pendingMoves.begin(after: state.before))
        }
    }
}
