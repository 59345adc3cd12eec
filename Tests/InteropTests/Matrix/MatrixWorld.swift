import Access
import Documents
import Foundation
import Gateway
import Storage
import Testing

/// A bridge with everybody of the matrix, and documents that some may see and others not.
struct MatrixWorld: Sendable {
    /// Stands in the body of every document that is hidden; nobody who may not see it may ever read this.
    static let marker = "marmalade"

    let bridge: RunningBridge
    private let expired: String
    private let session: String

    /// The headers by which a caller is known.
    func headers(_ caller: MatrixCaller) -> String {
        switch caller {
        case .noCredentials, .guest, .administrator: ""
        case .wrongPassword: basic("victim", "wrong")
        case .expiredSession: "Cookie: SyncGatewaySession=\(expired)\r\n"
        case .userWithoutChannel: basic("outsider", "o")
        case .otherUsersSession: "Cookie: SyncGatewaySession=\(session)\r\n"
        case .userWithChannel: basic("insider", "i")
        }
    }

    func port(_ caller: MatrixCaller) -> Int { caller == .administrator ? bridge.adminPort : bridge.port }

    func ask(
        _ caller: MatrixCaller, _ method: String, _ path: String, _ body: String = "", headers: String = ""
    ) async throws -> RawAnswer {
        let socket = try RawSocket(port: port(caller))
        defer { socket.cut() }
        return try await socket.ask(method, path, body, headers: self.headers(caller) + headers)
    }

    /// Runs a world where the guest is let in, or is not.
    static func run(guest: Bool, _ body: @Sendable (MatrixWorld) async throws -> Void) async throws {
        try await RunningBridge.run({ $0.guest = GuestConfiguration(isEnabled: guest, channels: ["g"]) }) { (bridge) async throws in
            for (name, channel) in [("insider", "secret"), ("outsider", "other"), ("victim", "secret")] {
                _ = try await bridge.admin("PUT", "/shop/_user/\(name)", #"{"password":"\#(name.prefix(1))","admin_channels":["\#(channel)"]}"#)
            }
            let made = try await bridge.admin("POST", "/shop/_session", #"{"name":"outsider"}"#)
            let expired = SessionID()
            let user = try await Accounts(bridge.store).user("insider")
            try await bridge.store.write { transaction in
                try transaction.setSession(
                    SessionRecord(
                        key: expired.key, user: "insider", generation: user?.sessionGeneration ?? 0, created: 1, expires: 60_000,
                        timeToLive: 59_999))
            }
            let world = MatrixWorld(bridge: bridge, expired: expired.text, session: try made.json["session_id"]?.string ?? "")
            // So that later logins are remembered ones, whatever wrong ones there are.
            for caller in [MatrixCaller.userWithChannel, .userWithoutChannel] { _ = try await world.ask(caller, "GET", "/shop/") }
            try await body(world)
        }
    }

    /// Two IDs that differ in nothing but that one is a document's in the channel `secret`, with an attachment; and its revision.
    func documents(_ number: Int) async throws -> (hidden: String, absent: String, revision: String) {
        let (hidden, absent) = ("hidden\(number)", "absent\(number)")
        let body =
            #"{"channels":["secret"],"text":"\#(Self.marker)","_attachments":{"photo":{"content_type":"text/html","data":"PGI+bWFybWFsYWRlPC9iPg=="}}}"#
        let revision = try #require(try await bridge.admin("PUT", "/shop/\(hidden)", body).json["rev"]?.string)
        return (hidden, absent, revision)
    }
}
