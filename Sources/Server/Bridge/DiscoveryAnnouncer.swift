import BridgeConfiguration
import Coordination
import Discovery
import Logging

/// Announces the public port by DNS-SD, also after the daemon was restarted.
final class DiscoveryAnnouncer: Sendable {
    /// The pause before another attempt.
    private static let pause = Duration.seconds(30)

    private let settings: DiscoverySettings
    private let logger: Logger
    private let task = BackgroundTask()

    init(_ settings: DiscoverySettings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    /// - Parameters:
    ///   - texts: Further entries about the service.
    func start(port: Int, texts: [String]) {
        guard let port = UInt16(exactly: port) else { return }
        task.start { [self] in
            var reported: DiscoveryError?
            while !Task.isCancelled {
                do {
                    try await announce(port, texts)
                } catch let error as DiscoveryError {
                    if error != reported { logger.warning("the bridge is not announced in the network", metadata: ["error": "\(error)"]) }
                    reported = error
                } catch {
                    return
                }
                do { try await suspend(for: Self.pause) } catch { return }
            }
        }
    }

    /// Announces until the daemon ends, or the task is cancelled.
    private func announce(_ port: UInt16, _ texts: [String]) async throws {
        let (failures, failing) = AsyncStream.makeStream(of: DiscoveryError.self, bufferingPolicy: .bufferingOldest(1))
        let announcement = try ServiceDiscovery.announce(name: settings.name, type: settings.type, port: port, texts: texts) {
            [logger] event in
            switch event {
            case .announced(let name): logger.info("the bridge is announced in the network", metadata: ["name": "\(name)"])
            case .failed(let error): failing.yield(error)
            case .found, .lost, .caughtUp: break
            }
        }
        defer { announcement.end() }
        for await error in failures { throw error }
        throw CancellationError()
    }

    func stop() async {
        await task.stop()
    }
}
