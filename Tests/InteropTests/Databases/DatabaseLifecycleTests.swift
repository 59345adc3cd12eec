import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import Testing

@testable import Server

/// Expected replies follow Sync Gateway 2.8.4 and 3.2.7.
@Suite("Databases on the admin port", .serialized)
struct DatabaseLifecycleTests {
    private static let form2 =
        #"{"server":"walrus:","bucket":"b","users":{"GUEST":{"disabled":false,"admin_channels":["*"]},"#
        + #""alice":{"password":"secret","admin_channels":["a"]}},"roles":{"r":{"admin_channels":["x"]}},"allow_conflicts":false,"#
        + #""sync":"function(doc){channel(doc.type)}"}"#
    private static let form3 =
        #"{"bucket":"b","num_index_replicas":0,"use_views":true,"guest":{"disabled":false,"admin_channels":["*"]},"#
        + #""scopes":{"sales":{"collections":{"orders":{"sync":"function(doc){channel('o')}"},"people":{}}}}}"#

    @Test("PUT creates a database in the form of 2.x, with users and roles, and names members without effect")
    func form2() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let made = try await bridge.admin("PUT", "/new/", Self.form2)
            #expect(made.status == 201)
            #expect(made.text == #"{"not_used":["bucket","server"]}"#)
            #expect(try await bridge.ask("PUT", "/new/d1", #"{"type":"t1"}"#).status == 201)
            let state = try await bridge.ask("GET", "/new/").json
            #expect(state["db_name"]?.string == "new" && state["state"]?.string == "Online")
            #expect(try await bridge.ask("GET", "/new/d1", headers: basic("alice", "secret")).status != 401)
            #expect(try await bridge.ask("GET", "/new/d1", headers: basic("alice", "wrong")).status == 401)
            #expect(try await bridge.admin("GET", "/new/_role/r").json["admin_channels"]?.array == [.string("x")])
            let config = try await bridge.admin("GET", "/new/_config")
            #expect(!config.text.contains("secret"))
            #expect(try config.json["name"]?.string == "new")
            #expect(try config.json["sync"]?.string == "function(doc){channel(doc.type)}")
            #expect(try config.json["users"]?["alice"]?["admin_channels"]?.array == [.string("a")])
            #expect(try await bridge.admin("GET", "/_all_dbs").text == #"["new","shop"]"#)
            let verbose = try await bridge.admin("GET", "/_all_dbs?verbose=true").text
            #expect(verbose.hasPrefix(#"[{"db_name":"new","bucket":"new","state":"Online"}"#))
            let status = try await bridge.admin("GET", "/_status").json
            let new = try #require(status["databases"]?["new"])
            #expect(new["state"]?.string == "Online" && new["replication_status"]?.array?.isEmpty == true)
            #expect(try await bridge.ask("GET", "/new/").json["update_seq"]?.int == new["seq"]?.int)
            #expect(status["vendor"]?["name"]?.string == "Couchbase Sync Gateway")
        }
    }

    @Test("PUT creates a database in the form of 3.x, with collections, and it is served after a restart with its data")
    func form3AndRestart() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run(in: folder) { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/new/", Self.form3).status == 201)
            #expect(try await bridge.ask("PUT", "/new.sales.orders/d1", "{}").status == 201)
            #expect(try await bridge.ask("PUT", "/new.sales.people/d2", "{}").status == 201)
            #expect(try await bridge.ask("GET", "/new.sales.none/d2").status == 404)
        }
        try await RunningBridge.run(in: folder) { (bridge) async throws in
            #expect(try await bridge.ask("GET", "/new.sales.orders/d1").status == 200)
            let config = try await bridge.admin("GET", "/new/_config").json
            #expect(config["scopes"]?["sales"]?["collections"]?["orders"]?["sync"]?.string == "function(doc){channel('o')}")
            #expect(try await bridge.admin("DELETE", "/new/").text == "{}")
            #expect(try await bridge.ask("GET", "/new/").status == 404)
            #expect(try await bridge.admin("DELETE", "/new/").text == #"{"error":"not_found","reason":"no such database \"new\""}"#)
        }
        try await RunningBridge.run(in: folder) { (bridge) async throws in
            #expect(try await bridge.admin("GET", "/_all_dbs").text == #"["shop"]"#)
            #expect(try await bridge.admin("PUT", "/new/", Self.form3).status == 201)
            #expect(try await bridge.ask("GET", "/new.sales.orders/d1").status == 200)
        }
    }

    @Test("Of simultaneous requests one creates the database, and the others get 412 once it exists")
    func madeAtOnce() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let answers = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        let made = try await bridge.admin("PUT", "/new/", "{}").status
                        return [made, try await bridge.admin("PUT", "/new/_local/x", "{}").status]
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map { $0[0] }.sorted() == [201, 412, 412, 412, 412])
            #expect(answers.map { $0[1] }.sorted() == [201, 409, 409, 409, 409])
        }
    }

    @Test(
        "An invalid configuration is refused, and creates nothing",
        arguments: [
            ("/shop/", "{}", 412, #"{"error":"Precondition Failed","reason":"Duplicate database name \"shop\""}"#),
            ("/new/", #"{"zzz":1}"#, 400, #"JSON Unknown Field: json: unknown field \"zzz\": unrecognized JSON field"#),
            ("/new/", "{bad", 400, "Bad JSON"), ("/new/", "", 400, "Bad JSON"), ("/new/", "[]", 400, "Bad JSON"),
            ("/new/", #"{"allow_conflicts":1}"#, 400, "allow_conflicts"), ("/new/", #"{"sync":"function("}"#, 400, "does not compile"),
            ("/new/", #"{"scopes":{"s":{"collections":{"c":{"sync":"function("}}}}}"#, 400, "s.c"),
            ("/new/", #"{"scopes":{"s":{"collections":{"_c":{}}}}}"#, 400, "_c"),
            ("/new/", #"{"users":{"u":{}}}"#, 400, "Empty passwords"), ("/new/", #"{"name":"other"}"#, 400, "name"),
            ("/Bad/", "{}", 400, "Illegal database name: Bad"), ("/a%2Fb/", "{}", 400, "Illegal database name"),
        ])
    func refused(path: String, body: String, status: Int, text: String) async throws {
        try await RunningBridge.run { (bridge) async throws in
            let answer = try await bridge.admin("PUT", path, body)
            #expect(answer.status == status)
            #expect(answer.text.contains(text), "\(answer.text)")
            #expect(try await bridge.admin("GET", "/_all_dbs").text == #"["shop"]"#)
        }
    }

    @Test("Users without a password are created where that is allowed, and log in by sessions only")
    func emptyPasswords() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let made = try await bridge.admin("PUT", "/new/", #"{"allow_empty_password":true,"session_cookie_name":"","users":{"u":{}}}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(try await bridge.admin("PUT", "/new/_user/v", "{}").status == 201)
            #expect(try await bridge.admin("PUT", "/new/_user/w", #"{"password":""}"#).status == 201)
            for user in ["u", "v", "w"] {
                let session = try await bridge.admin("POST", "/new/_session", "{\"name\":\"\(user)\"}")
                #expect(session.status == 200 && session.text.contains(#""cookie_name":"SyncGatewaySession""#), "\(session.text)")
                #expect(try await bridge.ask("GET", "/new/", headers: basic(user, "")).status == 401)
            }
        }
    }

    @Test("The public port creates no databases, and has none of these endpoints")
    func publicPort() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let made = try await bridge.ask("PUT", "/new/", "{}")
            #expect(made.status == 403)
            #expect(made.text == #"{"error":"Forbidden","reason":"Creating a DB over the public API is unsupported"}"#)
            #expect(try await bridge.ask("PUT", "/shop/").text == #"{"error":"Precondition Failed","reason":"Database already exists"}"#)
            for route in HTTPRoute.all where route.stage == .registered {
                guard case .path(let pattern) = route.pattern, pattern != "" else { continue }
                let path = "\(pattern)".replacing("*", with: "ID")
                for method in route.methods {
                    let answer = try await bridge.ask(method.rawValue, "/shop/\(path)", method == .get || method == .head ? "" : "{}")
                    #expect([404, 405].contains(answer.status), "\(method) \(path): \(answer.status)")
                }
            }
            #expect(try await bridge.ask("DELETE", "/shop/").status == 405)
            #expect(try await bridge.ask("GET", "/shop/").json["state"]?.string == "Online")
        }
    }

    @Test("_config replaces, merges, and sets single functions; a function that does not compile changes nothing")
    func configuration() async throws {
        try await RunningBridge.run { (bridge) async throws in
            #expect(try await bridge.admin("PUT", "/new/", Self.form3).status == 201)
            #expect(try await bridge.admin("POST", "/new/_config", #"{"allow_conflicts":false}"#).status == 201)
            var config = try await bridge.admin("GET", "/new/_config").json
            #expect(config["allow_conflicts"]?.bool == false && config["scopes"] != nil)
            let path = "/new.sales.orders/_config/sync"
            #expect(try await bridge.admin("GET", path).text == "function(doc){channel('o')}")
            #expect(try await bridge.admin("PUT", path, "function(doc){channel('z')}").status == 200)
            #expect(try await bridge.admin("GET", path).text == "function(doc){channel('z')}")
            #expect(try await bridge.admin("PUT", path, "function(").status == 400)
            #expect(try await bridge.admin("GET", path).text == "function(doc){channel('z')}")
            #expect(try await bridge.admin("DELETE", path).status == 200)
            #expect(try await bridge.admin("GET", path).text == "")
            #expect(try await bridge.admin("PUT", "/new/_config/sync", "function(doc){channel('d')}").status == 200)
            #expect(try await bridge.admin("GET", path).text == "function(doc){channel('d')}")
            #expect(try await bridge.admin("PUT", path, "function(doc){channel('z')}").status == 200)
            #expect(try await bridge.admin("DELETE", path).status == 200)
            #expect(try await bridge.admin("GET", path).text == "function(doc){channel('d')}")
            #expect(try await bridge.admin("DELETE", "/new/_config/sync").status == 200)
            #expect(try await bridge.admin("GET", path).text == "")
            #expect(try await bridge.admin("PUT", "/new/_config", #"{"guest":{"disabled":true}}"#).status == 201)
            config = try await bridge.admin("GET", "/new/_config").json
            #expect(config["scopes"] == nil && config["guest"]?["disabled"]?.bool == true)
            #expect(try await bridge.ask("GET", "/new/").status == 401)
            #expect(try await bridge.ask("GET", "/new/").status == 401)
            #expect(try await bridge.admin("PUT", "/none/_config", "{}").status == 404)
            #expect(try await bridge.admin("PUT", "/shop/_config/sync", "function(doc){channel('q')}").status == 200)
            #expect(try await bridge.ask("PUT", "/shop/d", #"{"type":"order"}"#).status == 201)
            #expect(try await bridge.ask("GET", "/shop.sales.orders/d").status == 200)
        }
    }
}
