import Documents
import HTTP
import HTTPTypes

@testable import Server

/// The allowed replies to a request, by the tables of permissions.
enum AnswerModel {
    /// Every intended status. 500 is not among them.
    static let statuses: Set<Int> = [
        101, 200, 201, 202, 204, 206, 302, 304, 308, 400, 401, 403, 404, 405, 406, 408, 409, 411, 412, 413, 414, 415, 416, 417, 421, 422,
        426, 429, 431,
        501, 503, 508,
    ]

    /// The fault of a reply; `nil` for none.
    static func fault(of answer: FuzzAnswer, to request: FuzzRequest, by caller: FuzzCaller) -> String? {
        if !statuses.contains(answer.status), !isNamed(answer, request) { return "the status \(answer.status)" }
        if let mark = caller.forbidden.first(where: { Self.contains(answer.body, $0) }) {
            return "\(caller.name) is shown `\(mark)`, which is not for him"
        }
        if request.isPlain, request.framing.isRight, answer.status < 400, !mayAsk(request, caller), !isBrokenFeed(answer) {
            return "\(caller.name) has no right to \(request.route.name), and is answered with \(answer.status)"
        }
        // A connection that ends within a reply is visible to the client; but the bridge ends none without a reason.
        if !answer.isWhole, request.framing.isRight, !request.mayWait, !isBrokenFeed(answer) { return "the answer breaks off" }
        return json(answer, request)
    }

    /// The cases in which Sync Gateway replies with 500, too: without a common subprotocol, and for a failing sync function.
    private static func isNamed(_ answer: FuzzAnswer, _ request: FuzzRequest) -> Bool {
        answer.status == 500 && (String(decoding: request.target, as: UTF8.self).contains("_blipsync") || isOfFunction(answer.body))
    }

    /// Whether an error is that of a sync function, of which some fail intentionally.
    static func isOfFunction(_ body: [UInt8]) -> Bool { contains(body, "Exception in JS sync function") }

    /// The form of a refused feed for Couchbase Lite 1.x: its clients for Java would read the body of a 5xx as an empty feed.
    private static func isBrokenFeed(_ answer: FuzzAnswer) -> Bool { !answer.isWhole && answer.body == Array("{\"results\":[\r\n".utf8) }

    private static func contains(_ body: [UInt8], _ mark: String) -> Bool {
        !body.isEmpty && body.firstRange(of: Array(mark.utf8)) != nil
    }

    /// Whether the tables allow a caller this request.
    static func mayAsk(_ request: FuzzRequest, _ caller: FuzzCaller) -> Bool {
        // Every caller may ask for the methods of a path.
        if request.method == "OPTIONS" { return true }
        guard FuzzRoute.ports[request.route.name]?.contains(caller.port) == true else { return false }
        guard caller.port == .admin else { return request.route.isOpen || !caller.isShutOut }
        guard let method = HTTPRequest.Method(request.method),
            let target = try? RequestTarget(String(decoding: request.target, as: UTF8.self)),
            let needed = RouteIndex.of(.admin).resolve(method, target).need.role
        else { return true }
        return caller.role.map { $0 >= needed } ?? false
    }

    private static func json(_ answer: FuzzAnswer, _ request: FuzzRequest) -> String? {
        guard answer.isWhole, request.framing.isRight, !answer.body.isEmpty, !request.mayWait, answer["Content-Encoding"] == nil,
            answer["Content-Type"]?.hasPrefix("application/json") == true
        else { return nil }
        // A user's own attachment may have such a header.
        if answer["Content-Disposition"] != nil || request.route.path.count > 1 { return nil }
        do {
            _ = try JSONReader.read(answer.body, maximumDepth: 2_000) { try $0.skip() }
            return nil
        } catch {
            return "the answer is no JSON: \(error)"
        }
    }
}
