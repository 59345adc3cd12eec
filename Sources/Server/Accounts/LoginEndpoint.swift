import Access
import Authentication
import BridgeConfiguration
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// `/{db}/_session` of the public port: describes the login, logs in, logs out.
enum LoginEndpoint {
    /// Describes the login. Also replies to callers without access, and treats an invalid session as none, because clients decide by the
    /// reply how to log in.
    static func describe(_ call: AdminCall) async throws -> Response {
        let caller = try await caller(of: call)
        let account = try await call.access.accounts.account(caller?.principal.grantee ?? .user(User.guestName))
        let response = SessionAnswer.describe(account.flatMap { $0.user?.isDisabled == true ? nil : $0 })
        return caller?.stamp(response) ?? response
    }

    /// Creates a session for the name and password in the body, or else for the login of the request.
    static func login(_ call: AdminCall) async throws -> Response {
        try refuseOrigin(call)
        let caller = try await caller(of: call)
        let (name, isOneTime) = try await wanted(call, caller)
        let end = caller?.principal == .user(name) ? caller?.expires : nil
        let time = try call.access.sessionTime(until: end)
        if isOneTime {
            let id = try await call.access.sessions.createOneTime(for: name, until: end)
            return SessionAnswer.describe(try await call.access.accounts.account(.user(name)), oneTime: id)
        }
        let session = try await call.access.sessions.create(for: name, timeToLive: time, renews: end == nil)
        var response = SessionAnswer.describe(try await call.access.accounts.account(.user(name)))
        response.headers[.setCookie] = call.access.cookies.cookie(session, call.info)?.rendered
        return response
    }

    /// Ends the session of the request's cookie.
    static func logout(_ call: AdminCall) async throws -> Response {
        try refuseOrigin(call)
        _ = try await call.access.caller(of: call.request, call.info)
        let ids = call.access.cookies.sessionIDs(of: call.request)
        guard !ids.isEmpty else { throw AdminError(.notFound, "no session") }
        for id in ids { _ = try await call.access.sessions.end(id) }
        await call.access.open.check()
        var response = Response(status: .ok)
        response.headers[.setCookie] = call.access.cookies.emptied(call.info)?.rendered
        return response
    }

    /// The user of the new session, and whether it is for a single WebSocket.
    private static func wanted(_ call: AdminCall, _ caller: Caller?) async throws -> (name: String, isOneTime: Bool) {
        var isOneTime = false
        do {
            let body = try await call.strictJSON()
            if let value = body["one_time"] {
                guard let flag = value.bool else { throw AdminError(.badRequest, "Bad JSON: \"one_time\" has to be true or false") }
                isOneTime = flag
            }
            if let name = body["name"]?.string {
                let password = body["password"]?.string ?? ""
                let user = try await call.access.passwordLogin.login(name: name, password: password, call.info)
                call.access.counts.record(.password)
                return (user.name, isOneTime)
            }
        } catch let error as JSONError {
            // As in Sync Gateway, a request with another login needs no body.
            guard caller?.principal.userName != nil else { throw error }
        }
        guard let name = caller?.principal.userName else { throw AdminError(.badRequest, "Bad JSON: name and password are needed") }
        return (name, isOneTime)
    }

    private static func caller(of call: AdminCall) async throws -> Caller? {
        do {
            return try await call.access.login(call.request, call.info)
        } catch let error as AccessError where error.code == .invalidSession {
            return nil
        }
    }

    /// Prevents login CSRF: a page of another site must not log users in or out.
    private static func refuseOrigin(_ call: AdminCall) throws {
        guard let origin = call.request.foreignOrigin, !call.access.configuration.cors.allowsLogin(from: origin) else { return }
        throw AdminError(.badRequest, "No CORS")
    }
}
