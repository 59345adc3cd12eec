import Documents
import Gateway
import HTTP

extension ReplicatorCookies {
    /// Takes what earlier replicators of the database have kept for the server. It is no error if that cannot be had.
    func restore(for server: String, from database: Database, without given: Set<String>) async {
        let body = try? await database.unified.replicatorState(Self.id(server))
        let list = body.flatMap { try? JSONValue($0)["cookies"]?.array } ?? []
        restore(list.compactMap { StoredCookie(kept: $0) }, without: given)
    }

    /// Keeps the cookies that say until when they are good, as Couchbase Lite does, where they have changed since.
    ///
    /// - Throws: What the store says.
    func keep(for server: String, in database: Database) async throws {
        guard let cookies = takeChanged() else { return }
        var body: [UInt8] = []
        JSONValue.object([JSONMember("cookies", .array(cookies.map(\.kept)))]).append(to: &body)
        try await database.unified.keepReplicatorState(cookies.isEmpty ? nil : body, id: Self.id(server))
    }

    private static func id(_ server: String) -> String { "cookies \(server)" }
}

extension StoredCookie {
    /// - Returns: `nil` for what was not kept by ``kept``.
    fileprivate init?(kept value: JSONValue) {
        guard let name = value["name"]?.string, let content = value["value"]?.string, let expires = value["expires"]?.int else {
            return nil
        }
        self.init(
            name: name, value: content, path: value["path"]?.string, expires: Int64(expires), isSecure: value["secure"]?.bool ?? true,
            isHTTPOnly: true)
    }

    fileprivate var kept: JSONValue {
        var members = [
            JSONMember("name", .string(name)), JSONMember("value", .string(value)), JSONMember("secure", .bool(isSecure)),
            JSONMember("expires", .number(String(expires ?? 0))),
        ]
        if let path { members.append(JSONMember("path", .string(path))) }
        return .object(members)
    }
}
