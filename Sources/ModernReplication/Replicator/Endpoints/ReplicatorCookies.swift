import Foundation
import HTTP
import HTTPTypes
import Synchronization

/// The cookies that a server has set, for the replicator's next connections (protocol reference 2.2): a session, or a load balancer's.
final class ReplicatorCookies: Sendable {
    private let jar = Mutex(CookieJar())

    /// Takes what an answer sets.
    func take(_ response: HTTPResponse) {
        let now = Self.now
        for header in response.headerFields[values: .setCookie] { jar.withLock { $0.store(setCookie: header, now: now) } }
    }

    /// The value of the `Cookie` header of a connection.
    ///
    /// - Parameter given: What the application says; where the server has set a cookie of the same name, that one counts.
    func header(_ given: String?, for url: String) -> String? {
        guard let parts = URLComponents(string: url) else { return given }
        let kept = jar.withLock { $0.header(path: parts.percentEncodedPath, isSecure: parts.scheme == "wss", now: Self.now) }
        guard let kept else { return given }
        let names = Set(CookieHeader(kept).cookies.map(\.name))
        let others = CookieHeader(given ?? "").cookies.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        return (others + [kept]).joined(separator: "; ")
    }

    func forget() {
        jar.withLock { $0 = CookieJar() }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
