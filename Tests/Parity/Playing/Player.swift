import Documents
import HTTPTypes

/// Plays a history against one server, and records the server's replies in each step.
final class Player {
    private(set) var exchange: Exchange
    let database: String
    let history: History
    var names = RevisionNames()

    /// Each client's position in the feed, and its documents.
    var devices: [String: Device] = [:]

    /// The continuous feeds of clients, their rows since the last read, and the marker's revision in each keyspace.
    var live: [String: LiveFeed] = [:]
    var feedObservations: [String: Observation] = [:]
    var markers: [String: String] = [:]

    /// Users who have a login already. Another password would end their sessions.
    private var registered: Set<String> = []

    struct Device {
        var since: String?
        var held: [String: Set<String>] = [:]
    }

    init(_ history: History, server: any Server, database: String) {
        exchange = Exchange(server: server, hasPasswords: history.hasPasswords)
        self.history = history
        self.database = database
    }

    func play() async throws -> [Observation] {
        var observations: [Observation] = []
        for step in history.steps {
            observations.append(try await play(step))
            if step.step.changes { try await readFeeds() }
        }
        for name in live.keys { close(name) }
        return observations
    }

    /// Whether a row is of a document of the history.
    static func isDocument(_ id: String) -> Bool { !id.hasPrefix("_") && id != marker }

    func path(_ keyspace: String) -> String { keyspace.isEmpty ? "/\(database)" : "/\(database).\(keyspace)" }

    private func play(_ step: History.Numbered) async throws -> Observation {
        switch step.step {
        case .account(let account): return Observation(statuses: [try await set(account)])
        case .drop(let name): return Observation(statuses: [try await drop(name)])
        case .write(let write): return Observation(statuses: try await self.write(write, step: step.number))
        case .pull(let name, let once):
            guard let client = history.clients.first(where: { $0.name == name }) else { return Observation() }
            guard live[name] == nil, feedObservations[name] == nil else {
                var observation = feedObservations.removeValue(forKey: name) ?? Observation()
                observation.held = devices[name]?.held ?? [:]
                if live[name] != nil { observation.listed = try await listed(by: client.user, client.keyspace).documents }
                return observation
            }
            var observation = try await pull(client, once: once)
            observation.listed = try await listed(by: client.user, client.keyspace).documents
            return observation
        case .open(let name):
            guard let client = history.clients.first(where: { $0.name == name }) else { return Observation() }
            return try await open(client)
        case .close(let name):
            close(name)
            return Observation()
        case .forget(let name):
            if live[name] == nil { devices[name]?.since = nil }
            return Observation()
        case .list(let user, let keyspace):
            let list = try await listed(by: user, keyspace)
            return Observation(statuses: [list.status], held: list.documents ?? [:])
        case .read(let id, let revision, let user, let keyspace):
            // A server may have discarded the revision: the administrator's reply comes first.
            var observation = Observation()
            for reader in [Write.administrator, user] {
                observation.statuses.append(try await readFile(of: id, revision, as: reader, keyspace))
            }
            return observation
        }
    }

    // MARK: Accounts

    private func set(_ account: Account) async throws -> Int {
        let (name, isRole) = Account.split(account.name)
        var members: [JSONMember] = []
        if let channels = account.channels {
            let value = JSONMember("admin_channels", .texts(channels))
            let parts = account.keyspace.split(separator: ".").map(String.init)
            members.append(
                parts.count < 2 ? value : JSONMember("collection_access", .nested(parts[0], .nested(parts[1], .object([value])))))
        }
        if let roles = account.roles { members.append(JSONMember("admin_roles", .texts(roles))) }
        if account.name == Client.guest {
            members.append(JSONMember("disabled", .bool(account.isDisabled)))
        } else if !isRole, history.hasPasswords, !registered.contains(name) {
            members.append(JSONMember("password", .string(Exchange.password(of: name))))
        }
        let answer = try await exchange.ask(
            .put, "/\(database)/\(isRole ? "_role" : "_user")/\(name)", as: Write.administrator, .object(members))
        if answer.status < 300, !isRole, account.name != Client.guest, registered.insert(name).inserted, !history.hasPasswords {
            let session = try await exchange.ask(
                .post, "/\(database)/_session", as: Write.administrator, .object([JSONMember("name", .string(name))]))
            exchange.sessions[name] = Exchange.Session(session.json)
        }
        return answer.status
    }

    private func drop(_ name: String) async throws -> Int {
        let (name, isRole) = Account.split(name)
        if !isRole {
            registered.remove(name)
            exchange.sessions[name] = nil
        }
        return try await exchange.ask(.delete, "/\(database)/\(isRole ? "_role" : "_user")/\(name)", as: Write.administrator).status
    }

    // MARK: Lists

    /// The list of all documents that the user may see; `nil` for a refused user.
    private func listed(by user: String, _ keyspace: String) async throws -> (status: Int, documents: [String: Set<String>]?) {
        let answer = try await exchange.ask(.get, "\(path(keyspace))/_all_docs", as: user)
        guard answer.status == 200 else { return (answer.status, nil) }
        var documents: [String: Set<String>] = [:]
        for row in answer.json["rows"]?.array ?? [] {
            guard let id = row["id"]?.string, Self.isDocument(id), let revision = row["value"]?["rev"]?.string else { continue }
            documents[id] = [names.name(of: revision, of: id, in: keyspace)]
        }
        return (answer.status, documents)
    }
}

extension JSONValue {
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    static func nested(_ key: String, _ value: JSONValue) -> JSONValue { .object([JSONMember(key, value)]) }
}
