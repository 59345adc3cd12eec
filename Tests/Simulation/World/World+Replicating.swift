import Cutover

extension World {
    /// The most rounds in which everybody replicates until nothing moves.
    static let maximumRounds = 16

    /// Who a client logs in as where it replicates now.
    func reader(_ client: Int) -> Reader? {
        homes[client] === bridge ? readers[client] : nil
    }

    /// Whether a client is told that its generation is no longer served.
    func isRefused(_ client: Int) -> Bool {
        homes[client] === bridge && clients[client].speaksLegacyProtocol && stage?.servesLegacyClients == false
    }

    func replicate(_ client: Int, _ direction: Direction, _ fault: Fault?, interlude: Line.Interlude? = nil) async throws -> String {
        guard !isRefused(client) else {
            ledger.happen(.refusedAtSunset)
            return "refused"
        }
        let server = homes[client]
        defer { if server === bridge { visits[client] = ledger.mark } }
        try await admit(client)
        let line = Line(to: server, as: reader(client), ledger: ledger, fault: fault, interlude: interlude)
        server.arm(fault)
        var end = ""
        do {
            try await WireLog.$client.withValue(clients[client].name) { try await clients[client].replicate(direction, over: line) }
        } catch is Disconnected {
            end = "; cut"
        } catch let surprise as Surprise {
            throw Violation(invariant: .protocolConformance, detail: "\(clients[client].name): \(surprise)")
        }
        return "\(line.traffic)\(end)\(try await recover(server, from: fault))"
    }

    func replicate(_ upstream: Upstream, _ direction: Direction, _ fault: Fault?, refusal: Refusal? = nil) async throws -> String {
        guard let server = upstreams[upstream] else { return "there is none" }
        guard let direction = allowed(direction, with: upstream) else { return "not at this stage" }
        bridge.arm(fault)
        // Both halves of a replication with the legacy upstream are independent: either may be quicker.
        let pushesFirst = (fault?.position ?? 0).isMultiple(of: 2) && direction == .both
        let (traffic, isWhole, refused) = try await WireLog.$client.withValue(upstream.rawValue) {
            try await bridge.replicate(with: server, upstream, direction, fault, pushesFirst: pushesFirst, refusal: refusal)
        }
        if !isWhole { ledger.happen(.brokenUpstream) }
        ledger.refuse(refused, by: upstream)
        let recovery = try await recover(bridge, from: fault)
        // What a replication that was cut off has not listed it will meet again.
        if isWhole, recovery.isEmpty { try await checkParking(upstream, direction) }
        return "\(traffic)\(refused.isEmpty ? "" : ", refused \(refused.count)")\(isWhole ? "" : "; cut")\(recovery)"
    }

    private func recover(_ node: Node, from fault: Fault?) async throws -> String {
        node.arm(nil)
        guard node.isDown else { return "" }
        if let fault { ledger.happen(fault.kind.happening) }
        try await node.recover()
        return "; the server died"
    }

    /// Has everybody replicate, with nothing going wrong, until a round transfers nothing.
    func settle() async throws {
        note("what is parked is tried again: \(try await tryAgain())")
        for _ in 0..<Self.maximumRounds {
            let traffic = try await round()
            note("everybody replicates: \(traffic)")
            guard traffic.isQuiet else { continue }
            isBehind = false
            return
        }
        throw Violation(invariant: .quiet, detail: "after \(Self.maximumRounds) rounds there is still something to transfer")
    }

    /// Everybody replicates once.
    func round() async throws -> Traffic {
        var total = Traffic()
        for client in clients.indices where !isRefused(client) {
            try await admit(client)
            let line = Line(to: homes[client], as: reader(client), ledger: ledger, fault: nil)
            do {
                try await clients[client].replicate(.both, over: line)
            } catch is Disconnected {
                throw Violation(invariant: .protocolConformance, detail: "\(clients[client].name) was disconnected")
            } catch let surprise as Surprise {
                throw Violation(invariant: .protocolConformance, detail: "\(clients[client].name): \(surprise)")
            }
            total += line.traffic
        }
        for upstream in Upstream.allCases {
            guard let server = upstreams[upstream], let direction = allowed(.both, with: upstream) else { continue }
            total += try await bridge.replicate(with: server, upstream, direction, nil).0
        }
        return total
    }
}
