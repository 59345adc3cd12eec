import Authentication
import Coordination
import Documents
import Foundation
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyTestSupport
import Logging
import NIOCore

@testable import LegacyServer

/// A database with a listener on a port of its own, which can inject faults.
final class RemoteServer: Sendable {
    /// A change of one request or its response.
    enum Fault: Sendable {
        case status(Int, String)
        /// The response breaks off after this many bytes.
        case cut(Int)
        case rewrite(@Sendable (String) -> String)
        /// The response is rewritten after a closure has run.
        case late(@Sendable () async -> Void, @Sendable (String) -> String)
        case answer(Int, String, [String: String])
    }

    /// A received request.
    struct Entry: Sendable {
        let method: String
        let path: String
        let headers: HTTPFields

        /// The method and the path below the database, such as `GET _changes`.
        var name: String { "\(method) \(path.split(separator: "?")[0].split(separator: "/").dropFirst().joined(separator: "/"))" }
    }

    let bridge: Bridge
    let port: Int
    private let isSecure: Bool
    private let server: HTTPServer
    private let state: State

    private final class State: Sendable {
        let entries = Lock<[Entry]>([])
        let upstream = Lock<UpstreamCheckpoints?>(nil)
        let fault = Lock<@Sendable (Entry, Int) -> Fault?>({ _, _ in nil })
    }

    init(
        serverName: String = "Couchbase Sync Gateway/3.2 (Dualgauge)", tls: ReloadableTLS? = nil, witness: StoreWitness? = nil,
        _ configure: (inout DatabaseConfiguration) -> Void = { _ in }
    ) async throws {
        let bridge = try await Bridge(witness: witness, configure)
        let state = State()
        self.bridge = bridge
        self.state = state
        isSecure = tls != nil
        server = HTTPServer(
            configuration: HTTPServerConfiguration(port: 0, serverName: serverName, tls: tls),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { request, info in
            let entry = Entry(method: request.method.rawValue, path: request.head.path ?? "", headers: request.headers)
            let number = state.entries.withLock { entries in
                entries.append(entry)
                return entries.count - 1
            }
            let fault = state.fault.withLock { $0 }(entry, number)
            return await Self.respond(to: request, info, bridge, fault, state.upstream.withLock { $0 })
        }
        let server = server
        Task { try await server.run() }
        port = try await server.port()
    }

    var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)/db" }

    /// The requests in order.
    var entries: [Entry] { state.entries.withLock { $0 } }

    var names: [String] { entries.map(\.name) }

    func clearEntries() { state.entries.withLock { $0 = [] } }

    /// - Parameter fault: Gets the request and the number of requests before it.
    func misbehave(_ fault: @escaping @Sendable (Entry, Int) -> Fault?) {
        state.fault.withLock { $0 = fault }
    }

    /// Sets the server from which the clients come, and which has their checkpoints.
    func follow(_ upstream: UpstreamCheckpoints) {
        state.upstream.withLock { $0 = upstream }
    }

    func close() async {
        try? await server.shutdown()
    }

    private static func respond(
        to request: Request, _ info: RequestInfo, _ bridge: Bridge, _ fault: Fault?, _ upstream: UpstreamCheckpoints?
    )
        async -> Response
    {
        switch fault {
        case .status(let code, let reason):
            return answer(code, #"{"error":"x","reason":"\#(reason)"}"#, [:])
        case .answer(let code, let text, let headers): return answer(code, text, headers)
        case .late(let wait, _): await wait()
        case .cut, .rewrite, nil: break
        }
        do {
            let plain = try request.decompressed(maximumSize: 64 << 20)
            let response = await bridge.listener.respond(
                to: plain, at: LegacyMatch(try RequestTarget(request.head.path ?? "")), in: bridge.database.unified,
                caller: LegacyCaller(isAdministrator: false), info: info, upstream: upstream)
            switch fault {
            case .cut(let count):
                let whole = try await Answer(response)
                return Response(
                    status: response.status, headers: response.headers.without(.contentLength),
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(bytes: whole.bytes.prefix(count)))
                        throw CancellationError()
                    })
            case .rewrite(let change), .late(_, let change):
                let whole = try await Answer(response)
                return Response(
                    status: response.status, headers: response.headers.without(.contentLength),
                    body: ResponseBody(byteBuffer: ByteBuffer(string: change(whole.text))))
            default: return response
            }
        } catch {
            return answer(500, "\(error)", [:])
        }
    }

    private static func answer(_ code: Int, _ text: String, _ headers: [String: String]) -> Response {
        var fields: HTTPFields = [.contentType: "application/json"]
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        return Response(status: .init(code: code), headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension HTTPFields {
    func without(_ name: HTTPField.Name) -> HTTPFields {
        var copy = self
        copy[name] = nil
        return copy
    }
}
