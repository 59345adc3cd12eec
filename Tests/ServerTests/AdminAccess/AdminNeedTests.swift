import HTTP
import HTTPTypes
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("What each role may do on the admin port")
struct AdminNeedTests {
    private func need(_ method: HTTPRequest.Method, _ path: String) throws -> AdminNeed {
        RouteIndex.of(.admin).resolve(method, try RequestTarget(path)).need
    }

    @Test(
        "Reading is for everybody with a login, `_ping` for anybody",
        arguments: [
            "/", "/_all_dbs", "/metrics", "/metrics?x=1", "/_status", "/_status/", "/_logging", "/_ui/", "/_ui/app.js", "/shop", "/shop/",
            "/shop/doc", "/shop/a%2Fb", "/shop/doc/photo.jpg", "/shop/_design/app", "/shop/_design%2Fapp", "/shop/_local/x",
            "/shop/_changes?feed=longpoll", "/shop/_all_docs", "/shop.sales.orders/doc", "/shop/_config",
            "/shop._default._default/_config/sync", "/shop/_cutover", "/shop/_user/", "/shop/_user/ann", "/shop/_session/abc",
            "/shop/_replicationStatus/", "/shop/_parked?limit=1", "/shop/_raw/doc", "/metrics/", "/shop/_explain/a%2Fb",
        ])
    func reading(_ path: String) throws {
        for method in [HTTPRequest.Method.get, .head] {
            #expect(try need(method, path) == AdminNeed(role: .readOnly, isChange: false), "\(method) \(path)")
            #expect(try need(method, "/_ping") == AdminNeed(role: nil, isChange: false))
        }
    }

    @Test(
        "What the table does not have needs an administrator, however it is spelt",
        arguments: [
            "/shop/_unknown", "/_unknown", "/_ping/x", "/shop/_user/ann/x", "/shop/_user%2Fann", "//shop", "/shop//",
            "/shop/_config/other", "/shop/_CONFIG", "/_stats", "/shop/_dumpchannel/x", "/shop/_BLIPSYNC/x", "/_ui%2Fx", "/shop/_oidc",
        ])
    func unknown(_ path: String) throws {
        #expect(try need(.get, path) == AdminNeed(role: .administrator, isChange: false))
        #expect(try need(.post, path) == AdminNeed(role: .administrator, isChange: true))
    }

    @Test(
        "Documents, databases, users and configuration are changed by administrators alone",
        arguments: [
            (.put, "/shop/doc"), (.delete, "/shop/doc"), (.post, "/shop/"), (.post, "/shop/_bulk_docs"), (.put, "/shop/doc/photo"),
            (.put, "/shop/_local/x"), (.put, "/shop/_design/x"), (.put, "/shop/"), (.delete, "/shop/"), (.post, "/shop/_purge"),
            (.post, "/shop/_flush"), (.put, "/shop/_config"), (.post, "/shop/_config"), (.put, "/shop/_config/sync"),
            (.delete, "/shop/_config/sync"), (.post, "/shop/_user/"), (.put, "/shop/_user/ann"), (.delete, "/shop/_user/ann"),
            (.post, "/shop/_role/"), (.put, "/shop/_role/r"), (.delete, "/shop/_role/r"), (.post, "/shop/_replication/"),
            (.put, "/shop/_replication/r"), (.delete, "/shop/_replication/r"), (.put, "/_status"), (.patch, "/shop/doc"),
            (.post, "/shop/_facebook"), (.post, "/shop/_ensure_full_commit"),
            // The one GET by which documents are written.
            (.get, "/shop/_blipsync"),
        ] as [(HTTPRequest.Method, String)])
    func administrators(_ method: HTTPRequest.Method, _ path: String) throws {
        #expect(try need(method, path) == AdminNeed(role: .administrator, isChange: true))
    }

    @Test(
        "Operators run what is there",
        arguments: [
            (.post, "/shop/_cutover"), (.post, "/shop/_migrations"), (.post, "/shop/_resync?action=start"), (.post, "/shop/_online"),
            (.post, "/shop/_offline"), (.post, "/shop/_compact"), (.post, "/shop/_parked"), (.post, "/shop/_session"),
            (.delete, "/shop/_session/abc"), (.delete, "/shop/_user/ann/_session"), (.delete, "/shop/_user/ann/_session/abc"),
            (.put, "/shop/_replicationStatus/r?action=stop"), (.put, "/_logging"), (.post, "/_logging"),
        ] as [(HTTPRequest.Method, String)])
    func operators(_ method: HTTPRequest.Method, _ path: String) throws {
        #expect(try need(method, path) == AdminNeed(role: .operator, isChange: true))
    }

    @Test("Reading by POST is reading, and so is OPTIONS")
    func readingPosts() throws {
        for path in ["/shop/_changes", "/shop/_all_docs", "/shop/_bulk_get", "/shop/_revs_diff"] {
            #expect(try need(.post, path) == AdminNeed(role: .readOnly, isChange: false))
        }
        #expect(try need(.options, "/shop/doc") == AdminNeed(role: .readOnly, isChange: false))
    }

    @Test("A path that only a database has needs the same role below a collection, where it is unknown")
    func collections() throws {
        for path in ["/shop.a.b/_cutover", "/shop.a.b.c/_cutover"] {
            #expect(try need(.get, path) == AdminNeed(role: .readOnly, isChange: false))
            #expect(try need(.post, path) == AdminNeed(role: .operator, isChange: true))
        }
        #expect(try need(.get, "/shop.a.b/_blipsync") == AdminNeed(role: .administrator, isChange: true))
        #expect(try need(.delete, "/shop.a.b/") == AdminNeed(role: .administrator, isChange: true))
    }

    @Test("Roles are in order")
    func order() {
        #expect(AdminRole.readOnly < .operator && AdminRole.operator < .administrator)
    }
}
