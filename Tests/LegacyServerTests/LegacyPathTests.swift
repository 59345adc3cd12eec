import Documents
import HTTP
import HTTPTypes
import LegacyTestSupport
import Testing

@testable import LegacyServer

@Suite("Paths and routes")
struct LegacyPathTests {
    private func path(_ target: String) throws -> LegacyPath? {
        LegacyPath(try RequestTarget(target), from: 1)
    }

    @Test(
        "The paths that each client sends are parsed",
        arguments: [
            ("/db", LegacyPath.keyspace), ("/db/", .keyspace), ("/db/?", .keyspace),
            ("/db/_changes?feed=normal", .endpoint("_changes")), ("/db/_changes/", .endpoint("_changes")),
            ("/db/_local/abc", .local("abc")), ("/db/_local/wGIMgbpa%3D%3D?", .local("wGIMgbpa==")), ("/db/_local%2Fabc", .local("abc")),
            ("/db/_local/a%2Fb", .local("a/b")), ("/db/_design/x", .design("x")), ("/db/_design%2Fx", .design("x")),
            ("/db/_design/x/y", .design("x/y")),
            ("/db/doc", .document("doc")), ("/db/a%2Fb", .document("a/b")),
            ("/db/j4%2Fsl%20ash%2B%C3%BC%26%3F%23%25", .document("j4/sl ash+ü&?#%")),
            ("/db/a+b", .document("a+b")), ("/db/li[ve2]?revs=true", .document("li[ve2]")),
            ("/db/a/b?rev=1-x&revs=true&revs_from=[]", .document("a/b")), ("/db/n5/att?new_edits=false", .document("n5/att")),
            ("/db/a//b?revs=true", .document("a//b")),
            ("/db/a/b.txt", .attachment(document: "a", name: "b.txt")),
            ("/db/a/b/c.txt?rev=1-x", .attachment(document: "a", name: "b/c.txt")),
            ("/db/a%2Fb/big%20file.txt", .attachment(document: "a/b", name: "big file.txt")),
            ("/db/a/_x", .attachment(document: "a", name: "_x")),
        ])
    func paths(_ target: String, _ expected: LegacyPath) throws {
        #expect(try path(target) == expected)
    }

    @Test("Malformed paths are not parsed", arguments: ["/db//", "/db//a", "/db/_changes/x", "/db/_bulk_docs/_changes"])
    func nothing(_ target: String) throws {
        #expect(try path(target) == nil)
    }

    @Test("Every route is reachable, and no two routes have the same path and method")
    func table() {
        var seen: Set<String> = []
        for route in LegacyRoute.table {
            #expect(!route.methods.isEmpty)
            for method in route.methods { #expect(seen.insert("\(method) \(route.pattern)").inserted) }
        }
    }

    @Test("A method that a route does not have is refused with 405 and Allow, on every route")
    func methods() async throws {
        let bridge = try await Bridge()
        let targets: [(LegacyRoute.Pattern, String)] = [
            (.keyspace, "/db/"), (.local, "/db/_local/x"), (.document, "/db/x"), (.attachment, "/db/x/y"), (.design, "/db/_design/x"),
        ]
        let endpoints = Set(LegacyRoute.table.map(\.pattern)).compactMap { pattern -> (LegacyRoute.Pattern, String)? in
            if case .endpoint(let name) = pattern { (pattern, "/db/\(name)") } else { nil }
        }
        for (pattern, target) in targets + endpoints {
            let allowed = LegacyRoute.table.filter { $0.pattern == pattern }.flatMap(\.methods)
            let answer = try await bridge.send(.patch, target)
            #expect(answer.status == 405)
            #expect(answer.headers[.allow] == allowed.map(\.rawValue).sorted().joined(separator: ", "))
            #expect(try await bridge.send(.options, target).status == 204)
        }
    }

    @Test("Unknown names with an underscore are 404 unknown URL", arguments: ["/db/_nosuch", "/db/_facebook", "/db/_all_dbs", "/db/_"])
    func unknown(_ target: String) async throws {
        let answer = try await Bridge().send(.get, target)
        #expect(answer.status == 404)
        #expect(answer.text == #"{"error":"not_found","reason":"unknown URL"}"#)
    }

    @Test("Design documents are readable for all who see them; others than administrators get 403 for a write, at which CouchDB skips them")
    func design() async throws {
        let bridge = try await Bridge()
        #expect(try await bridge.send(.put, "/db/_design/x?new_edits=false", json: "{}").status == 403)
        #expect(try await bridge.send(.delete, "/db/_design/x?rev=1-a").status == 403)
        #expect(try await bridge.send(.get, "/db/_design%2Fx").status == 404)
        let made = try await bridge.send(.put, "/db/_design/x", json: #"{"filters":{}}"#, isAdministrator: true)
        #expect(made.status == 201)
        let revision = try #require(try made.json["rev"]?.string)
        #expect(try await bridge.send(.get, "/db/_design%2Fx").json["_id"]?.string == "_design/x")
        #expect(try await bridge.send(.delete, "/db/_design/x?rev=\(revision)", isAdministrator: true).status == 200)
        #expect(try await bridge.send(.put, "/db.sales.orders/_design/x", json: "{}", isAdministrator: true).status != 403)
        let bulk = #"{"docs":[{"_id":"_design/y"}]}"#
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: bulk).json.array?.first?["status"]?.int == 403)
        #expect(try await bridge.send(.post, "/db/_bulk_docs", json: bulk, isAdministrator: true).json.array?.first?["rev"] != nil)
    }
}
