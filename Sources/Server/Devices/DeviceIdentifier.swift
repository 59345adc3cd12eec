import Access
import Authentication
import Coordination
import Crypto
import Cutover
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Storage

/// Finds the user of a request for the choice of the server, without a check of the proof: the server that is chosen checks it.
final class DeviceIdentifier: Sendable {
    /// The number of the old server's sessions whose users are remembered.
    private static let remembered = 20_000

    private let access: DatabaseAccess
    private let database: Database

    /// The users of the old server's sessions, by a digest of the cookie; empty for a session that is not valid. A session never changes its user.
    private let users: Lock<BoundedCache<SHA256Digest, String>>

    init(access: DatabaseAccess, database: Database) {
        self.access = access
        self.database = database
        users = Lock(BoundedCache(capacity: Self.remembered))
    }

    /// The device of a request: by the user of its password, token or session, else by its address.
    ///
    /// - Throws: ``RequestError`` `unavailable` if the old server cannot be asked for the user of its session.
    func device(of request: Request, _ info: RequestInfo) async throws(RequestError) -> DeviceIdentity {
        if let name = try await user(of: request, info), !name.isEmpty { return .user(name) }
        return .address(info.remoteAddress)
    }

    /// The device of a request as far as it is known without asking; `nil` for a session that was not asked for yet.
    func knownDevice(of request: Request, _ info: RequestInfo) -> DeviceIdentity? {
        if let header = request.headers[.authorization], let basic = BasicCredentials(authorization: header) { return .user(basic.user) }
        guard case .cookie(let cookie)? = access.tokens?.upstreamCookie(request) else { return .address(info.remoteAddress) }
        let digest = SHA256.hash(data: Array(cookie.revealed.utf8))
        return users.withLock { $0[digest] }.map { $0.isEmpty ? .address(info.remoteAddress) : .user($0) }
    }

    private func user(of request: Request, _ info: RequestInfo) async throws(RequestError) -> String? {
        if let header = request.headers[.authorization], let basic = BasicCredentials(authorization: header) { return basic.user }
        guard let tokens = access.tokens else { return nil }
        // A token or a session that is not valid has no user. Both servers refuse it.
        if let match = try? await tokens.bearer(request) { return match.userName }
        for id in access.cookies.sessionIDs(of: request).prefix(4) {
            if let session = try? await access.sessions.find(id) { return session.user.name }
        }
        guard let verifier = tokens.authenticators.upstream, case .cookie(let cookie)? = tokens.upstreamCookie(request) else { return nil }
        let digest = SHA256.hash(data: Array(cookie.revealed.utf8))
        if let known = users.withLock({ $0[digest] }) { return known }
        let name: String?
        do {
            name = try await verifier.user(of: cookie)
        } catch  where error.code == .unavailable {
            throw RequestError(.unavailable, reason: "The old server does not answer; try again later.", cause: error)
        } catch {
            name = nil
        }
        // A session that is refused does not become valid later.
        users.withLock { $0.insert(name ?? "", for: digest) }
        return name
    }

    /// Ends the sessions here that a request names: the old server has ended the session from which they were adopted.
    ///
    /// - Throws: Errors of the store.
    func endSessions(of request: Request) async throws {
        var ids = Array(access.cookies.sessionIDs(of: request).prefix(4))
        if case .cookie(let cookie)? = access.tokens?.upstreamCookie(request), let id = SessionID(cookie.revealed) { ids.append(id) }
        for id in ids { _ = try await access.sessions.end(id) }
        await access.open.check()
    }

    /// The channels that a user has here, in any collection.
    func channels(of device: DeviceIdentity) async -> Set<String> {
        guard case .user(let name) = device else { return [] }
        return await (try? database.channels(of: .user(name))) ?? []
    }
}
