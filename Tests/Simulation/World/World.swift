import Documents
import Foundation
import Gateway

/// The bridge and its clients, and what they do one after the other.
final class World {
    /// The most rounds in which everybody replicates until nothing moves.
    static let maximumRounds = 16

    let bridge: Node
    let upstreams: [Upstream: Node]
    let clients: [any SimulatedClient]

    /// The server with which each client replicates.
    private(set) var homes: [Node]
    let ledger = Ledger()
    private(set) var trace = Trace()
    private let folder: String

    /// Hours since the beginning.
    private var hours = 0

    /// Where stores go: into memory where there is such a place, since a commit on a disk takes longer than all else.
    private static var disk: String {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    }

    /// - Parameter client: makes a client; tests put in one that misbehaves.
    init(_ schedule: Schedule, client: (Generation, String) -> any SimulatedClient = { $0.client($1) }) async throws {
        folder = "\(Self.disk)/simulation-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let bridge = try await Node(.bridge(isRouted: schedule.isRouted), in: folder)
        var upstreams: [Upstream: Node] = [:]
        if schedule.upstreams.contains(.legacy) { upstreams[.legacy] = try await Node(.old, in: folder) }
        if schedule.upstreams.contains(.modern) { upstreams[.modern] = try await Node(.new, in: folder) }
        bridge.predecessor = upstreams[.legacy]
        clients = schedule.devices.enumerated().map { client($1.generation, "client-\($0)-gen\($1.generation.rawValue)") }
        homes = schedule.devices.map { device in
            switch device.home {
            case .bridge: bridge
            case .old: upstreams[.legacy] ?? bridge
            case .new: upstreams[.modern] ?? bridge
            }
        }
        self.bridge = bridge
        self.upstreams = upstreams
    }

    func close() async throws {
        for node in [bridge] + upstreams.values { try await node.close() }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Carries out a step to its end.
    func perform(_ operation: Operation) async throws {
        let result = try await result(of: operation)
        trace.note("\(operation)\(result.isEmpty ? "" : ": \(result)")")
    }

    private func result(of operation: Operation) async throws -> String {
        switch operation {
        case .edit(let client, let subject, let edit):
            return try clients[client].edit(edit, Subject.all[subject], ledger: ledger)?.text ?? "nothing to do"
        case .replicate(let client, let direction, let fault):
            return try await replicate(clients[client], with: homes[client], direction, fault)
        case .replicateUpstream(let upstream, let direction, let fault): return try await replicate(upstream, direction, fault)
        case .repoint(let client): return repoint(client)
        case .clock(let hours):
            self.hours += hours
            return "\(try await bridge.expire(hours: self.hours)) expired"
        case .forget(let client): clients[client].forgetCheckpoints()
        case .restart: try await bridge.restart()
        case .migrate: return "\(try await bridge.migrate()) moved"
        case .revert: return "\(try await bridge.revert()) moved back"
        }
        return ""
    }

    private func repoint(_ client: Int) -> String {
        guard let old = upstreams[.legacy], clients[client].speaksLegacyProtocol else { return "nowhere to go" }
        homes[client] = homes[client] === old ? bridge : old
        return "to the \(homes[client].name)"
    }

    private func replicate(
        _ client: any SimulatedClient, with server: Node, _ direction: Direction, _ fault: Fault?
    ) async throws -> String {
        let line = Line(to: server, ledger: ledger, fault: fault)
        server.arm(fault)
        var end = ""
        do {
            try await client.replicate(direction, over: line)
        } catch is Disconnected {
            end = "; cut"
        } catch let surprise as Surprise {
            throw Violation(invariant: .protocolConformance, detail: "\(client.name): \(surprise)")
        }
        return "\(line.traffic)\(end)\(try await recover(server))"
    }

    private func replicate(_ upstream: Upstream, _ direction: Direction, _ fault: Fault?) async throws -> String {
        guard let server = upstreams[upstream] else { return "there is none" }
        bridge.arm(fault)
        let (traffic, isWhole) = try await bridge.replicate(with: server, upstream, direction, fault)
        return "\(traffic)\(isWhole ? "" : "; cut")\(try await recover(bridge))"
    }

    private func recover(_ node: Node) async throws -> String {
        node.arm(nil)
        guard node.isDown else { return "" }
        try await node.recover()
        return "; the server died"
    }

    /// Has everybody replicate, with nothing going wrong, until a round transfers nothing.
    func settle() async throws {
        for _ in 0..<Self.maximumRounds {
            let traffic = try await round()
            trace.note("everybody replicates: \(traffic)")
            if traffic.isQuiet { return }
        }
        throw Violation(invariant: .quiet, detail: "after \(Self.maximumRounds) rounds there is still something to transfer")
    }

    /// Everybody replicates once.
    func round() async throws -> Traffic {
        var total = Traffic()
        for (client, home) in zip(clients, homes) {
            let line = Line(to: home, ledger: ledger, fault: nil)
            do {
                try await client.replicate(.both, over: line)
            } catch is Disconnected {
                throw Violation(invariant: .protocolConformance, detail: "\(client.name) was disconnected")
            } catch let surprise as Surprise {
                throw Violation(invariant: .protocolConformance, detail: "\(client.name): \(surprise)")
            }
            total += line.traffic
        }
        for upstream in Upstream.allCases {
            guard let server = upstreams[upstream] else { continue }
            total += try await bridge.replicate(with: server, upstream, .both, nil).0
        }
        return total
    }
}
