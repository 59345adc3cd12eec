import Authentication
import BridgeConfiguration
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import NIOSSL

/// Checks every request to the admin port: refuses pages of other sites, authenticates the caller, compares the role with the one
/// required, and audits changes.
struct AdminGate: Sendable {
    /// The challenge for Basic credentials. Browsers open a dialogue.
    static let challenge = #"Basic realm="Dualgauge admin", charset="UTF-8""#

    let guardian: AdminGuard
    let access: AdminAccess
    let audit: AuditLog
    let logger: Logger

    /// Responds to a request.
    ///
    /// - Parameter respond: responds to admitted requests. The login is removed from the request first, because a database's endpoints
    ///   would take it for the login of one of the database's users.
    func answer(
        _ request: Request, _ info: RequestInfo, _ need: AdminNeed, _ context: RequestContext, _ respond: (Request) async -> Response
    ) async -> Response {
        let (caller, refusal, hasTried) = await admit(request, info, need)
        context.administrator = caller
        let response: Response
        if let refusal { response = refusal } else { response = await respond(caller?.name == nil ? request : Self.withoutLogin(request)) }
        if need.isChange || hasTried {
            audit.record(
                AuditEntry(
                    user: caller.map { $0.name } ?? Self.attempted(request, info), role: caller?.name == nil ? nil : caller?.role,
                    address: info.clientAddress,
                    method: request.method, target: request.head.path ?? "/", status: response.status.code),
                isUnauthenticated: caller == nil)
        }
        return response
    }

    /// Returns the caller, the reply if the request is refused, and whether a login or a role was refused.
    private func admit(
        _ request: Request, _ info: RequestInfo, _ need: AdminNeed
    ) async -> (caller: AdminCaller?, refusal: Response?, hasTried: Bool) {
        if let reason = guardian.refusal(of: request) { return (nil, ServerAnswer.error(.forbidden, "Forbidden", reason), false) }
        guard let role = need.role else { return (nil, nil, false) }
        do {
            guard let caller = try await access.caller(of: request, info) else {
                return (nil, challenging(ServerAnswer.error(.unauthorized, "Unauthorized", "Login required")), false)
            }
            guard caller.role >= role else {
                let reason = "this needs the role \(role.rawValue); \(caller.name ?? "") has the role \(caller.role.rawValue)"
                return (caller, ServerAnswer.error(.forbidden, "Forbidden", reason), true)
            }
            return (caller, nil, false)
        } catch {
            return (nil, challenging(AccessAnswer(sendsChallenge: false, logger: logger).response(to: error)), true)
        }
    }

    /// The name in the request's refused credentials, if it has any.
    private static func attempted(_ request: Request, _ info: RequestInfo) -> String? {
        if let header = request.headers[.authorization] { return BasicCredentials(authorization: header)?.user }
        return info.peerCertificate.flatMap { try? CertificateFields(der: try $0.toDERBytes()).commonNames.first }
    }

    private static func withoutLogin(_ request: Request) -> Request {
        var head = request.head
        head.headerFields[.authorization] = nil
        return Request(head: head, body: request.body)
    }

    private func challenging(_ response: Response) -> Response {
        guard response.status == .unauthorized else { return response }
        var response = response
        response.headers[.wwwAuthenticate] = Self.challenge
        return response
    }
}
