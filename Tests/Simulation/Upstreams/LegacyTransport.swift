import AsyncHTTPClient
import Coordination
import Documents
import HTTPTypes
import NIOCore
import NIOHTTP1

@testable import LegacyClient

/// Passes the 1.x replicator's requests to a server in this process, counts the traffic, and injects the fault.
final class LegacyTransport: RemoteTransport {
    private struct State {
        var count = 0
        var isBroken = false
        var traffic = Traffic()
        var refuser: Refuser?
        var troubled: Troubled?
    }

    private let responder: Responder
    private let fault: Fault?
    private let pause: (moment: Pause, position: Int)?
    private let state: Lock<State>

    /// - Parameters:
    ///   - refuser: Refuses some revisions.
    ///   - troubled: The event during the replication.
    ///   - pause: Stops the bridge's process before a message, counted from 0.
    init(
        to responder: Responder, fault: Fault?, refuser: Refuser? = nil, troubled: Troubled? = nil,
        pause: (moment: Pause, position: Int)? = nil
    ) {
        self.responder = responder
        self.fault = fault
        self.pause = pause
        state = Lock(State(refuser: refuser, troubled: troubled))
    }

    /// The refused revisions.
    var refused: [RefusedRevision] { state.withLock { $0.refuser?.refused ?? [] } }

    /// Whether the scheduled event has occurred.
    var isTroubled: Bool { state.withLock { $0.troubled?.hasCome ?? false } }

    var traffic: Traffic { state.withLock { $0.traffic } }

    func close() async {}

    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse {
        let (kind, count) = try state.withLock { state in
            if state.isBroken { throw Disconnected() }
            defer { state.count += 1 }
            return (state.count == fault?.position && fault?.isAtCommit == false ? fault?.kind : nil, state.count)
        }
        if let pause, pause.position == count { await pause.moment.stop() }
        if kind == .lost { try breakDown() }
        let answer = try await respond(to: request)
        // The replicator repeats a request without a reply, as long as there is a connection.
        if kind == .unanswered { try breakDown() }
        if kind == .repeated { throw Disconnected() }
        return answer
    }

    private func breakDown() throws {
        state.withLock { $0.isBroken = true }
        throw Disconnected()
    }

    private func respond(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var body: [UInt8] = []
        if let pieces = request.body {
            for try await piece in pieces { body += piece.readableBytesView }
        }
        var headers = HTTPFields()
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        // Behind `http://upstream/`.
        let target = String(request.url.dropFirst("http://upstream".utf8.count))
        let method = HTTPTypes.HTTPRequest.Method(rawValue: request.method.rawValue) ?? .get
        let foreign = state.withLock { state in
            state.troubled?.answer(state.count - 1, method, target, cookie: headers[.cookie])
        }
        let answer: Answer
        if let foreign {
            answer = foreign
        } else {
            answer = try await respond(method, target, headers, body)
            record(method, target, body, answer)
        }
        WireLog.record("\(method) \(target) \(WireLog.text(body)) -> \(answer.status) \(WireLog.text(answer.body))")
        return HTTPClientResponse(
            status: HTTPResponseStatus(statusCode: answer.status),
            headers: HTTPHeaders(answer.headers.map { ($0.name.rawName, $0.value) }), body: .bytes(ByteBuffer(bytes: answer.body)))
    }

    private func respond(_ method: HTTPTypes.HTTPRequest.Method, _ target: String, _ headers: HTTPFields, _ body: [UInt8]) async throws
        -> Answer
    {
        let troubled = state.withLock { $0.troubled }
        let responder = troubled?.isRestored == true ? troubled?.restored ?? responder : responder
        guard var refuser = state.withLock({ $0.refuser }) else {
            return try await responder.respond(method, target, headers: headers, body: body)
        }
        let (rest, rows) = try await refuse(method, target, body, by: &refuser)
        let changed = refuser
        state.withLock { $0.refuser = changed }
        guard let rest else {
            return Answer(status: 403, headers: [:], body: Array(#"{"error":"forbidden","reason":"not now"}"#.utf8))
        }
        let answer = try await responder.respond(method, target, headers: headers, body: rest)
        guard !rows.isEmpty, let others = try JSONValue(answer.body).array else { return answer }
        var body: [UInt8] = []
        JSONValue.array(others + rows).append(to: &body)
        return Answer(status: answer.status, headers: answer.headers, body: body)
    }

    private func record(_ method: HTTPTypes.HTTPRequest.Method, _ target: String, _ body: [UInt8], _ answer: Answer) {
        let endpoint = target.split(separator: "?")[0].split(separator: "/").dropFirst().first ?? ""
        state.withLock { state in
            switch endpoint {
            case "_changes": state.traffic.rows += (try? JSONValue(answer.body))?["results"]?.array?.count ?? 0
            case "_revs_diff": state.traffic.offers += (try? JSONValue(body))?.members?.count ?? 0
            case "_bulk_docs": state.traffic.pushed += (try? JSONValue(body))?["docs"]?.array?.count ?? 0
            case "_bulk_get": state.traffic.pulled += (try? JSONValue(body))?["docs"]?.array?.count ?? 0
            // The server's description of itself.
            case "": break
            case "_local": state.traffic.checkpoints += method == .put ? 1 : 0
            default: if method == .put { state.traffic.pushed += 1 } else { state.traffic.pulled += 1 }
            }
        }
    }
}
