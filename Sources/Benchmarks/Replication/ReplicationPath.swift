import Foundation
import NIOCore
import Peers

/// The time that the 2.x+ replicator needs for a listener's documents, compared with the time of the listener alone.
struct ReplicationPath {
    let program: String
    let folder: String
    let server: ServedProcess
    let documents: Int

    /// One-way delay of the slow link.
    let delay: Duration

    /// Requires the documents in the database `blip`, which the BLIP paths create.
    func run(listenerPull: Duration, listenerPush: Duration) async throws {
        let remote = "ws://127.0.0.1:\(server.port)"
        let pull = try await replicate(from: "\(remote)/blip", to: "\(folder)/pulled.dualgauge")
        report("replicator's pull", pull, beside: listenerPull, "the listener's own rate")
        let push = try await replicate(from: "\(folder)/pulled.dualgauge", to: "\(remote)/pushed")
        report("replicator's push", push, beside: listenerPush, "the listener's own rate")
        let milliseconds = delay.components.seconds * 1_000 + delay.components.attoseconds / 1_000_000_000_000_000
        let proxy = try await DelayingProxy(to: server.port, delay: .milliseconds(milliseconds))
        let far = try await replicate(from: "ws://127.0.0.1:\(proxy.port)/blip", to: "\(folder)/far.dualgauge")
        try await proxy.stop()
        report("replicator's pull, \(milliseconds * 2) ms there and back", far, beside: pull, "the rate without delay")
    }

    /// Runs `dualgauge replicate` once.
    private func replicate(from source: String, to target: String) async throws -> Duration {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["replicate", "--from", source, "--to", target, source.hasPrefix("ws") ? "--pull" : "--push", "--quiet"]
        let start = ContinuousClock.now
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw PeerError("`dualgauge replicate --from \(source) --to \(target)` failed with \(status)") }
        return start.duration(to: .now)
    }

    private func report(_ name: String, _ time: Duration, beside other: Duration, _ what: String) {
        print(
            name.padding(toLength: 42, withPad: " ", startingAt: 0),
            String(format: "%9.0f/s wall  %5.2f x %@", Double(documents) / (time / .seconds(1)), other / time, what))
    }
}
