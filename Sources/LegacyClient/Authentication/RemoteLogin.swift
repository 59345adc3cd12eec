import Coordination
import Documents
import HTTP
import NIOHTTP1

/// Logs in on a server. Concurrent callers share one login.
actor RemoteLogin {
    private let authenticator: ReplicationAuthenticator?

    /// The number of completed logins. A request that got 401 is resent without another login if this number has changed since it was sent.
    private(set) var generation = 0
    private let renewals = SingleFlight<Int, Void>()

    init(_ authenticator: ReplicationAuthenticator?) {
        self.authenticator = authenticator
    }

    /// Logs in before the first request.
    func begin(on remote: RemoteDatabase) async throws {
        guard let method = authenticator?.method else { return }
        switch method {
        case .token, .openID: if try await hasSession(on: remote) { return }
        case .basic, .oauth: break
        }
        try await renew(after: generation, on: remote)
    }

    /// Logs in again, unless another caller has done so since.
    ///
    /// - Parameter known: The ``generation`` when the refused request was sent.
    /// - Returns: Whether the request should be sent again.
    @discardableResult
    func renew(after known: Int, on remote: RemoteDatabase) async throws -> Bool {
        guard let method = authenticator?.method else { return false }
        if case .oauth = method { return false }
        guard known == generation else { return true }
        try await renewals.value(for: known) {
            // An earlier renewal may have ended between the check above and this call.
            guard await self.generation == known else { return }
            try await Self.login(method, on: remote)
            await self.completeLogin()
        }
        return true
    }

    private func completeLogin() {
        generation += 1
    }

    private static func login(_ method: ReplicationAuthenticator.Method, on remote: RemoteDatabase) async throws {
        switch method {
        case .basic(let name, let password): try await login(name, password, on: remote)
        case .token(let path, let provider):
            let token: JSONValue
            do {
                token = try await provider()
            } catch {
                throw ReplicationError(.unauthorized, "There is no token to log in with", cause: error)
            }
            var bytes: [UInt8] = []
            token.append(to: &bytes)
            _ = try await remote.json(request(path, bytes), authenticates: false)
        case .openID(let login): try await login.logIn(on: remote)
        case .oauth: break
        }
    }

    /// Tries Sync Gateway's session, then CouchDB's, which is server-wide. If the server has neither, the password is sent with each request.
    private static func login(_ name: String, _ password: String, on remote: RemoteDatabase) async throws {
        var bytes: [UInt8] = []
        JSONValue.object([JSONMember("name", .string(name)), JSONMember("password", .string(password))]).append(to: &bytes)
        var request = request("_session", bytes)
        for isAtRoot in [false, true] {
            request.isAtRoot = isAtRoot
            do {
                let before = remote.cookies
                _ = try await remote.json(request, authenticates: false)
                if remote.cookies != before { return }
            } catch let error as ReplicationError where error.isRefusal && error.code != .unauthorized {
                // 404, 405 and similar: the server has no sessions here. CouchDB takes the path for a document's and refuses it with 400 or 415.
                continue
            } catch let error as ReplicationError where error.code == .unauthorized && !isAtRoot && !remote.features.isSyncGateway {
                continue
            }
        }
        remote.sendAlways(authorization: BasicCredentials(user: name, password: password).authorization)
    }

    private static func request(_ path: String, _ json: [UInt8]) -> RemoteRequest {
        var request = RemoteRequest(path, method: .POST, json: json)
        request.isCompressible = false
        request.accept = "application/json"
        return request
    }

    /// Whether the existing cookies already identify a session, for example a cookie set by hand.
    private func hasSession(on remote: RemoteDatabase) async throws -> Bool {
        var request = RemoteRequest("_session")
        for isAtRoot in [false, true] {
            request.isAtRoot = isAtRoot
            do {
                let answer = try JSONValue(try await remote.json(request, authenticates: false))
                return answer["userCtx"]?["name"]?.string != nil
            } catch let error as ReplicationError where error.code == .notFound {
                continue
            } catch let error as ReplicationError where error.code == .unauthorized {
                return false
            }
        }
        return false
    }
}
