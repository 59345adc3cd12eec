import Access
import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import NIOSSL

/// What every request to the admin port goes through: pages of other sites are kept out, who it is is found out, the role is compared with what the
/// request needs, and what changes something is written down.
struct AdminGate: Sendable {
    /// Asks for Basic credentials; browsers open a dialogue.
    static let challenge = #"Basic realm="Dualgauge admin", charset="UTF-8""#

    let guardian: AdminGuard
    let access: AdminAccess
    let audit: AuditLog
    let logger: Logger

    /// Answers a request.
    ///
    /// - Parameter respond: answers for those who are let in. The login has done its work then, and is taken out of the request: behind a database's
    ///   name it would be taken for that of one of the database's users.
    func answer(
        _ request: Request, _ info: RequestInfo, _ target: RequestTarget, _ note: RequestContext, _ respond: (Request) async -> Response
    ) async -> Response {
        let need = AdminPermission.need(of: request.method, target)
        let (caller, refusal, hasTried) = await admit(request, info, need)
        note.administrator = caller
        let response: Response
        if let refusal { response = refusal } else { response = await respond(caller?.name == nil ? request : Self.withoutLogin(request)) }
        if need.isChange || hasTried {
            audit.note(
                AuditEntry(
                    user: caller.map { $0.name } ?? Self.attempted(request, info), role: caller?.name == nil ? nil : caller?.role,
                    address: info.clientAddress,
                    method: request.method, target: request.head.path ?? "/", status: response.status.code), isStranger: caller == nil)
        }
        return response
    }

    /// Who it is, what is answered if that is not enough, and whether that is a login or a role that was refused.
    private func admit(
        _ request: Request, _ info: RequestInfo, _ need: AdminPermission.Need
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

    /// The name that somebody who was not let in goes by, as far as he says it.
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
