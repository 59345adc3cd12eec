import Coordination
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes

/// The cookies that a server has set, for the replicator's later connections (docs/protocol/modern-2x.md#upgrade-request): a session, or a
/// load balancer's cookie.
final class ReplicatorCookies: Sendable {
    private struct State {
        var jar = CookieJar()

        /// The persistent cookies that are stored in the database: those with an expiry date; `nil` before they have been read.
        var kept: [StoredCookie]?
    }

    private let state = Lock(State())

    /// Stores the cookies of a response.
    func store(_ response: HTTPResponse) {
        let now = Self.now
        for header in response.headerFields[values: .setCookie] { state.withLock { $0.jar.store(setCookie: header, now: now) } }
    }

    /// The value of the `Cookie` header of a connection.
    ///
    /// - Parameter given: The application's value. A cookie that the server has set replaces the application's cookie of the same name.
    func header(_ given: String?, for url: String) -> String? {
        guard let parts = URLComponents(string: url) else { return given }
        let kept = state.withLock { $0.jar.header(path: parts.percentEncodedPath, isSecure: parts.scheme == "wss", now: Self.now) }
        guard let kept else { return given }
        let names = Set(CookieHeader(kept).cookies.map(\.name))
        let others = CookieHeader(given ?? "").cookies.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        return (others + [kept]).joined(separator: "; ")
    }

    func forget() {
        state.withLock { $0.jar = CookieJar() }
    }

    /// Whether the stored cookies of earlier replicators have been read.
    var isRestored: Bool { state.withLock { $0.kept != nil } }

    /// Adds the unexpired cookies that earlier replicators have stored.
    ///
    /// - Parameter given: The names of cookies that the application sets itself: a stored cookie of that name may belong to another user.
    func restore(_ cookies: [StoredCookie], without given: Set<String>) {
        let good = Self.good(cookies).filter { !given.contains($0.name) }
        state.withLock { state in
            state.kept = cookies
            state.jar = CookieJar(good + state.jar.cookies)
        }
    }

    /// Returns the cookies to store; `nil` if they are stored already.
    func takeChanged() -> [StoredCookie]? {
        state.withLock { state in
            let good = Self.good(state.jar.cookies)
            guard good != state.kept ?? [] else { return nil }
            state.kept = good
            return good
        }
    }

    private static func good(_ cookies: [StoredCookie]) -> [StoredCookie] {
        let now = now
        return cookies.filter { $0.expires.map { $0 > now } ?? false }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension ReplicatorCookies {
    /// Reads the cookies that earlier replicators of the database have stored for the server. A failure to read them is ignored.
    func restore(for server: String, from database: Database, without given: Set<String>) async {
        let body = try? await database.unified.replicatorState(Self.id(server))
        let list = body.flatMap { try? JSONValue($0)["cookies"]?.array } ?? []
        restore(list.compactMap { StoredCookie(kept: $0) }, without: given)
    }

    /// Stores the cookies that have an expiry date, as Couchbase Lite does, if they have changed.
    ///
    /// - Throws: Errors of the store.
    func save(for server: String, in database: Database) async throws {
        guard let cookies = takeChanged() else { return }
        var body: [UInt8] = []
        JSONValue.object([JSONMember("cookies", .array(cookies.map(\.kept)))]).append(to: &body)
        try await database.unified.setReplicatorState(cookies.isEmpty ? nil : body, id: Self.id(server))
    }

    private static func id(_ server: String) -> String { "cookies \(server)" }
}

extension StoredCookie {
    /// - Returns: `nil` if the value does not have the form of ``kept``.
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
