import Cutover

extension World {
    /// The maximal number of rounds in which all replicate until nothing is transferred.
    static let maximumRounds = 16

    /// The client's user at its present server.
    func reader(_ client: Int) -> Reader? {
        homes[client] === bridge ? readers[client] : nil
    }

    /// Whether a client gets the refusal of its generation.
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
        let deaths = server.deaths
        let line = Line(
            to: server, as: reader(client), ledger: ledger, fault: fault, interlude: interlude, balance: balances[client])
        server.site(balances[client].first).store.arm(fault)
        var end = try await replicate(client, direction, over: line)
        if line.hasMoved {
            ledger.happen(.changedBridge)
            let next = Line(
                to: server, as: reader(client), ledger: ledger, fault: nil, balance: Balance(first: balances[client].first + 1))
            let cut = try await replicate(client, direction, over: next)
            end = "; then at the other bridge: \(next.traffic)\(cut)"
        }
        return "\(line.traffic)\(end)\(try await recover(server, from: fault, deaths))"
    }

    /// - Returns: Words about a connection that was lost.
    private func replicate(_ client: Int, _ direction: Direction, over line: Line) async throws -> String {
        do {
            try await WireLog.$client.withValue(clients[client].name) { try await clients[client].replicate(direction, over: line) }
        } catch is Disconnected {
            return "; cut"
        } catch let unexpected as UnexpectedMessage {
            throw Violation(invariant: .protocolConformance, detail: "\(clients[client].name): \(unexpected)")
        }
        return ""
    }

    func replicate(_ upstream: Upstream, _ direction: Direction, _ fault: Fault?, refusal: Refusal? = nil) async throws -> String {
        guard let server = upstreams[upstream] else { return "there is none" }
        guard let direction = allowed(direction, with: upstream) else { return "not at this stage" }
        let worker = try await bridge.worker()
        let deaths = bridge.deaths
        worker.store.arm(fault)
        // Both directions of a replication with the legacy upstream are independent: either may be faster.
        let pushesFirst = (fault?.position ?? 0).isMultiple(of: 2) && direction == .both
        let (traffic, isWhole, refused) = try await WireLog.$client.withValue(upstream.rawValue) {
            try await bridge.replicate(with: server, upstream, direction, fault, pushesFirst: pushesFirst, refusal: refusal)
        }
        if !isWhole { ledger.happen(.brokenUpstream) }
        ledger.refuse(refused, by: upstream)
        let recovery = try await recover(bridge, from: fault, deaths)
        // Refused revisions that an interrupted replication has not listed will be refused again.
        if isWhole, recovery.isEmpty { try await checkParking(upstream, direction) }
        return "\(traffic)\(refused.isEmpty ? "" : ", refused \(refused.count)")\(isWhole ? "" : "; cut")\(recovery)"
    }

    /// Lets a server go on after a fault. One of several bridges stays down after a crash.
    ///
    /// - Parameter deaths: The number of processes that were down before.
    private func recover(_ node: Node, from fault: Fault?, _ deaths: Int) async throws -> String {
        let isOfEngine = fault.map { Fault.Kind.ofEngine.contains($0.kind) } ?? false
        if let fault, isOfEngine, fault.isAtCommit, node.hasReachedFault { ledger.happen(fault.kind.happening) }
        node.disarm()
        if try await node.reconnect() { return "; the engine was away" }
        guard node.deaths > deaths else { return "" }
        if let fault { ledger.happen(fault.kind.happening) }
        if !node.sites.contains(where: \.isUp) { try await node.recover() }
        return "; the server died"
    }

    /// Runs rounds of replications without faults, until a round transfers nothing.
    func replicateUntilQuiet() async throws {
        try await bridge.recover()
        record("what is parked is tried again: \(try await tryAgain())")
        for _ in 0..<Self.maximumRounds {
            let traffic = try await round()
            record("everybody replicates: \(traffic)")
            guard traffic.isQuiet else { continue }
            isBehind = false
            return
        }
        throw Violation(invariant: .quiet, detail: "after \(Self.maximumRounds) rounds there is still something to transfer")
    }

    /// Runs one replication of each client and upstream.
    func round() async throws -> Traffic {
        var total = Traffic()
        // A document may have been pushed again after its time, which the bridge notices at once.
        _ = try await bridge.expire(hours: hours)
        rounds += 1
        for client in clients.indices where !isRefused(client) {
            try await admit(client)
            let change = clients[client].speaksLegacyProtocol && rounds.isMultiple(of: 2) ? Balance.Change.always : .never
            let balance = Balance(first: client + rounds, change: change)
            let line = Line(to: homes[client], as: reader(client), ledger: ledger, fault: nil, balance: balance)
            do {
                try await clients[client].replicate(.both, over: line)
            } catch is Disconnected {
                throw Violation(invariant: .protocolConformance, detail: "\(clients[client].name) was disconnected")
            } catch let unexpected as UnexpectedMessage {
                throw Violation(invariant: .protocolConformance, detail: "\(clients[client].name): \(unexpected)")
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
