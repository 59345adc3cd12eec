import Documents
import Foundation

/// Reads a running Sync Gateway's databases, users and roles through its admin port, in the form of configuration files.
struct GatewayServer: Sendable {
    /// The admin port's address, without credentials and without a trailing slash.
    let url: String
    let transport: GatewayTransport

    /// The most users or roles that are read from one database. With more, none is read.
    static let maximumAccounts = 10_000

    /// The size limit of a reply, in bytes.
    private static let maximumAnswer = GatewayImport.maximumSize

    /// The server's configuration, followed by that of each database.
    ///
    /// - Throws: ``GatewayImportError``; ``GatewayUnreachable`` if the server does not reply, or replies with a server error.
    func inputs() async throws -> [GatewayInput] {
        let server = try await object("/_config", needed: true) ?? .object([])
        guard let names = try await list("/_all_dbs", needed: true) else { return [] }
        // 2.x lists the databases in the server's configuration. Each database is requested separately, as 3.x requires.
        let own = (server.members ?? []).filter { $0.key.lowercased() != "databases" }
        var inputs = [GatewayInput(name: "\(url)/_config", section: GatewaySection(.object(own), path: ""), isServer: true)]
        for name in names { inputs.append(try await database(name)) }
        return inputs
    }

    private func database(_ name: String) async throws -> GatewayInput {
        let path = "/\(Self.encoded(name))"
        let configuration = try await object("\(path)/_config?include_javascript=true", needed: true)?.members ?? []
        let (users, unreadUsers) = try await accounts("\(path)/_user/", key: "users")
        let (roles, unreadRoles) = try await accounts("\(path)/_role/", key: "roles")
        let section = GatewaySection(.object(configuration), path: "")
        let guest = try await object("\(path)/_user/GUEST", needed: false) ?? section["guest"] ?? section["users"]?["GUEST"]
        let replaced: Set<String> = ["name", "users", "roles", "guest"]
        var members = configuration.filter { !replaced.contains($0.key.lowercased()) }
        members += [JSONMember("name", .string(name)), JSONMember("users", .object(users)), JSONMember("roles", .object(roles))]
        if let guest { members.append(JSONMember("guest", guest)) }
        return GatewayInput(
            name: "\(url)\(path)/_config", section: GatewaySection(.object(members), path: "databases.\(name)"), isServer: false,
            unread: unreadUsers + unreadRoles)
    }

    /// The users or roles. If they could not be read, the list is empty and `unread` has the reason.
    private func accounts(_ path: String, key: String) async throws -> (accounts: [JSONMember], unread: [GatewayImport.Dropped]) {
        let names = try await list(path, needed: true) ?? []
        guard names.count <= Self.maximumAccounts else {
            let reason =
                "there are \(names.count), and a file can have at most \(Self.maximumAccounts). Users are created at their first login, with "
                + "the channels and roles that the old server gives them; make roles with `dualgauge role add`"
            return ([], [GatewayImport.Dropped(path: key, reason: reason, matters: true)])
        }
        var accounts: [JSONMember] = []
        for name in names where name != "GUEST" {
            // The account may have been deleted since the list was read.
            guard let account = try await object(path + Self.encoded(name), needed: false) else { continue }
            accounts.append(JSONMember(name, account))
        }
        return (accounts, [])
    }

    private func object(_ path: String, needed: Bool) async throws -> JSONValue? {
        guard let json = try await json(path, needed: needed) else { return nil }
        guard json.members != nil else { throw GatewayImportError("\(url)\(path) does not answer with an object") }
        return json
    }

    private func list(_ path: String, needed: Bool) async throws -> [String]? {
        guard let json = try await json(path, needed: needed) else { return nil }
        guard let names = json.array?.map(\.string), !names.contains(nil) else {
            throw GatewayImportError("\(url)\(path) does not answer with a list of names")
        }
        return names.compactMap(\.self)
    }

    private func json(_ path: String, needed: Bool) async throws -> JSONValue? {
        let answer = try await transport.get(url + path, maximum: Self.maximumAnswer)
        switch answer.status {
        case 200: break
        case 401, 403:
            throw GatewayImportError(
                "\(url)\(path) answers \(answer.status): the admin port requires a login, or refuses the given login; write it as http://USER:PASSWORD@HOST:4985"
            )
        case 404 where !needed: return nil
        case 404: throw GatewayImportError("\(url)\(path) does not exist: is this the admin port (4985) of a Sync Gateway?")
        case 500...: throw GatewayUnreachable(url: url + path, reason: "the server answers \(answer.status)")
        default: throw GatewayImportError("\(url)\(path) answers \(answer.status)")
        }
        do {
            return try JSONValue(answer.body, maximumDepth: 100)
        } catch {
            throw GatewayImportError("\(url)\(path) does not answer with JSON: is this the admin port of a Sync Gateway?")
        }
    }

    static func encoded(_ name: String) -> String {
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
    }
}
