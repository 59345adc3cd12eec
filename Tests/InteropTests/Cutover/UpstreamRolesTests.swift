import Access
import Authentication
import Cutover
import Documents
import Gateway
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Users of the old server have their roles of the old server", .timeLimit(.minutes(5)))
struct UpstreamRolesTests {
    @Test("Roles are copied if the replication uses the admin port; the public port does not list them", arguments: [true, false])
    func roles(overAdminPort: Bool) async throws {
        try await RunningBridge.run {
            $0.routes = []
            $0.collections = []
            $0.guest = GuestConfiguration()
        } _: { old in
            for (path, body) in [
                ("_role/staff", #"{"admin_channels":["s"]}"#), ("_role/gone", #"{"admin_channels":["g"]}"#),
                ("_user/bridge", #"{"password":"secret","admin_channels":["*"]}"#),
                ("_user/rob", #"{"password":"secret","admin_channels":["a"],"admin_roles":["staff"]}"#),
                ("_user/eve", #"{"password":"secret","admin_channels":["a"],"admin_roles":["staff","gone"]}"#),
                ("in-a", #"{"channels":["a"]}"#), ("in-s", #"{"channels":["s"]}"#), ("in-g", #"{"channels":["g"]}"#),
            ] {
                #expect(try await old.admin("PUT", "/shop/\(path)", body).status == 201, "\(path)")
            }
            try await RunningBridge.run(
                {
                    $0.routes = []
                    $0.collections = []
                    $0.guest = GuestConfiguration()
                },
                serving: { served in
                    let port = overAdminPort ? old.adminPort : old.port
                    var legacy = ReplicationDefinition(target: .server(try RemoteAddress("http://127.0.0.1:\(port)/shop")))
                    legacy.continuous = true
                    if !overAdminPort { legacy.credentials = .basic(user: "bridge", password: Secret("secret")) }
                    served.replications = ["legacy": legacy]
                    served.cutover = CutoverConfiguration(legacy: "legacy")
                    served.authenticators.upstream = UpstreamConfiguration(
                        database: try VerificationEndpoint(configured: "\(old.url)/shop", plainHTTP: .anywhere))
                    var staff = ConfiguredAccount(.role("staff"))
                    staff.channels = ["s"]
                    served.accounts = [staff]
                }
            ) { new in
                try await CutoverWorld(old: old, new: new).caughtUp()
                // The role `gone` does not exist here, so its channels are granted directly.
                for (user, ids, roles) in [
                    ("rob", ["in-a", "in-s"], ["staff"]), ("eve", ["in-a", "in-g", "in-s"], ["gone", "staff"]),
                ] {
                    let rows = try await new.ask("GET", "/shop/_changes", headers: basic(user, "secret")).json["results"]?.array ?? []
                    #expect(rows.compactMap { $0["id"]?.string }.sorted() == ids, "\(user)")
                    // A bridge in the old server's place lists the channels of roles in a session, unlike a Sync Gateway.
                    let known = try await new.admin("GET", "/shop/_user/\(user)").json["roles"]?.array ?? []
                    #expect(known.compactMap(\.string).sorted() == (overAdminPort ? roles : []), "\(user)")
                }
            }
        }
    }
}
