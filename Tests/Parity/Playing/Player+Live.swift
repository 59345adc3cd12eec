import Documents
import HTTP
import HTTPTypes

extension Player {
    /// The marker: a document that every user sees. It is written after each step while feeds are open: the rows before it belong to the step.
    static let marker = "marker"

    func open(_ client: Client) async throws -> Observation {
        var observation = Observation()
        guard live[client.name] == nil else { return observation }
        switch client.feed {
        case .normal, .longpoll: return observation
        case .continuous:
            // A refused feed ends at once.
            let answer = try await exchange.ask(.get, query(client, feed: .normal), as: client.user)
            observation.statuses.append(answer.status)
            guard answer.status == 200 else { return observation }
            live[client.name] = .lines(
                LiveLines(query(client, feed: .continuous), of: exchange.server, login: exchange.login(client.user)))
        case .blip:
            guard let socket = try await connect(client.user, &observation) else { return observation }
            let pull = ModernPull(client, devices[client.name] ?? Device(), names: names, isContinuous: true)
            try await pull.begin(over: socket)
            live[client.name] = .modern(pull, socket)
        }
        try await readFeeds()
        return observation
    }

    func close(_ name: String) {
        switch live.removeValue(forKey: name) {
        case .lines(let lines): lines.close()
        case .modern(_, let socket): socket.drop()
        case nil: break
        }
    }

    /// Reads all open feeds to their present end. A Sync Gateway may send a change of access shortly after a later write, so the marker is written
    /// twice.
    func readFeeds() async throws {
        for _ in 0..<(exchange.server.kind == .gateway ? 2 : 1) where !live.isEmpty {
            for keyspace in history.dialect.keyspaces {
                let clients = history.clients.filter { live[$0.name] != nil && $0.keyspace == keyspace }
                guard !clients.isEmpty, let revision = try await mark(keyspace) else { continue }
                for client in clients {
                    if try await !readFeed(client, until: revision) {
                        feedObservations[client.name, default: Observation()].statuses.append(0)
                        close(client.name)
                    }
                }
            }
        }
    }

    private func mark(_ keyspace: String) async throws -> String? {
        var members = [JSONMember("channels", .texts(["!"]))]
        if let old = markers[keyspace] { members.append(JSONMember("_rev", .string(old))) }
        let answer = try await exchange.ask(.put, "\(path(keyspace))/\(Self.marker)", as: Write.administrator, .object(members))
        markers[keyspace] = answer.json["rev"]?.string
        return markers[keyspace]
    }

    private func readFeed(_ client: Client, until marker: String) async throws -> Bool {
        var observation = feedObservations[client.name] ?? Observation()
        defer { feedObservations[client.name] = observation }
        switch live[client.name] {
        case .lines(let lines):
            return try await lines.listen(until: marker) { row in
                if let place = row["seq"].flatMap(Self.text) { devices[client.name, default: Device()].since = place }
                try await handle(row, client, &observation)
            }
        case .modern(let pull, let socket):
            pull.names = names
            let isThere = try await within(exchange.server.kind.longestSilence, dropping: socket) {
                try await pull.listen(over: socket, until: marker)
            }
            devices[client.name] = pull.device
            observation.rows.merge(pull.news()) { $1.after($0) }
            return isThere && pull.refusal == nil
        case nil: return true
        }
    }
}
