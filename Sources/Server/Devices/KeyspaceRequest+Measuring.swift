import Cutover
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import ModernProtocol
import NIOCore

/// What the figures and the fleet need to know of a request.
extension KeyspaceRequest {
    /// The meter of a request whose device is on a side; `nil` if the stage has no old server.
    func meter(_ figures: DeviceFigures, _ choice: DeviceRouter.Choice) -> ExchangeMeter? {
        guard running.stage?.pullsFromLegacy == true else { return nil }
        var sender: ExchangeMeter.Sender?
        if let device = choice.device, request.method != .options {
            sender = ExchangeMeter.Sender(
                device: hash(user(of: device), request.headers[.userAgent], info.remoteAddress?.ipAddress),
                user: user(of: device).map { hash($0) },
                position: position)
        }
        return ExchangeMeter(figures, side: choice.side, kind: kind, lasts: lasts, sender: sender)
    }

    private func hash(_ values: any Hashable...) -> Int {
        var hasher = Hasher()
        for value in values { value.hash(into: &hasher) }
        return hasher.finalize()
    }

    private func user(of device: DeviceIdentity) -> String? {
        if case .user(let name) = device { name } else { nil }
    }

    /// Whether a request for a feed has a position in its query; `nil` for other requests and other forms of feeds.
    private var position: Bool? {
        guard isFeed, request.method == .get, !request.wantsWebSocket else { return nil }
        return resolution.target.query["since"].map { !["", "0"].contains($0) } ?? false
    }

    private var kind: ExchangeMeter.Kind {
        let segments = resolution.target.segments.dropFirst()
        guard let first = segments.first?.value, !first.isEmpty else { return request.method == .post ? .write : .other }
        switch (first, request.method) {
        case ("_bulk_docs", .post): return .writes
        case ("_bulk_get", .post): return .reads
        default: break
        }
        guard segments.count == 1, first.utf8.first != UInt8(ascii: "_") else { return .other }
        switch request.method {
        case .put, .delete, .post: return .write
        case .get: return .read
        default: return .other
        }
    }

    /// Records the visit of a client that is passed on, if the old server has accepted its request.
    ///
    /// - Returns: The response, which keeps a feed's visit open until it ends.
    func recordingVisit(_ response: Response, of device: DeviceIdentity?) -> Response {
        // A health check requests only the keyspace itself.
        let isCheck = resolution.target.segments.dropFirst().allSatisfy(\.value.isEmpty) && request.method != .post
        guard let device, response.status.code < 400, request.method != .options, !isCheck else { return response }
        let generation = request.webSocketProtocols.contains { Subprotocol(rawValue: $0) != nil } ? 2 : 1
        let visitor = Visitor(
            user: user(of: device), client: ClientKind(generation: generation, agent: request.headers[.userAgent]),
            address: info.remoteAddress?.ipAddress)
        let visits = running.database.visits
        guard isFeed, response.status != .switchingProtocols, request.method != .head else {
            visits.note(visitor)
            return response
        }
        let body = response.body
        let watched = ResponseBody(contentLength: body.contentLength) { writer in
            let visit = visits.open(visitor)
            try await body.write(writer)
            withExtendedLifetime(visit) {}
        }
        return Response(status: response.status, headers: response.headers, body: watched)
    }
}
