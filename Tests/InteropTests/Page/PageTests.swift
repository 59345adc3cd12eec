import Documents
import Foundation
import Testing

@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

@Suite("The page at /_ui/", .serialized)
struct PageTests {
    @Test("Each file has its type, and headers that allow no other script")
    func files() async throws {
        try await RunningBridge.run { (bridge) async throws in
            for file in PageFile.allCases {
                let answer = try await bridge.admin("GET", "/_ui/\(file.rawValue)")
                let head = answer.head.lowercased()
                #expect(answer.status == 200 && answer.text == String(decoding: file.bytes, as: UTF8.self), "\(file)")
                #expect(head.contains("content-type: \(file.contentType)"), "\(head)")
                #expect(head.contains("x-content-type-options: nosniff") && head.contains("frame-ancestors 'none'"))
                #expect(head.contains("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"))
                #expect(!head.contains("unsafe") && !head.contains("access-control"))
            }
            let bare = try await bridge.admin("GET", "/_ui")
            #expect(bare.status == 308 && bare.head.contains("_ui/"))
            for path in ["/_ui/x", "/_ui/app.js/", "/_ui/app.js/x", "/_ui//app.js", "/_ui//", "/_ui/../shop", "/_ui/index.html"] {
                #expect(try await bridge.admin("GET", path).status == 404, "\(path)")
            }
            #expect(try await bridge.admin("POST", "/_ui/").status == 405)
            #expect(try await bridge.ask("GET", "/_ui/").status == 404)
            #expect(try await bridge.ask("GET", "/_ui/app.js").status == 404)
        }
    }

    @Test("The page and its modules refer only to existing files of their own, and every file is referred to")
    func references() throws {
        var names: Set<String> = []
        for file in PageFile.allCases {
            let text = String(decoding: file.bytes, as: UTF8.self)
            names.formUnion(text.matches(of: /from "\.\/([^"]*)"/).map { String($0.output.1) })
            guard file == .page else { continue }
            let linked = text.matches(of: /(?:src|href)="([^"]*)"/).map { String($0.output.1) }
            names.formUnion(linked.filter { !$0.hasPrefix("#") && $0 != "data:," })
        }
        #expect(names == Set(PageFile.allCases.map(\.rawValue)).subtracting([PageFile.page.rawValue]))
    }

    @Test("Requests of pages of other sites are refused; programs are served")
    func crossSite() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let pause = #"{"action":"pause"}"#
            func status(_ headers: String) async throws -> Int {
                try await bridge.admin("POST", "/shop/_migrations", pause, headers: headers).status
            }
            #expect(try await status("Origin: http://evil.example\r\n") == 403)
            #expect(try await status("Sec-Fetch-Site: cross-site\r\n") == 403)
            #expect(try await status("Sec-Fetch-Site: same-site\r\n") == 403)
            // The raw socket sends `Host: a`, as for a site whose name resolves to this machine.
            #expect(try await status("Origin: http://a\r\nSec-Fetch-Site: same-origin\r\n") == 403)
            #expect(try await status("") == 200)
        }
    }

    @Test("The overview has collections with counts, routes and conflicts by ID, also while the database is offline")
    func overview() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let id = "%3Cimg%20src=x%20onerror=alert(1)%3E"
            _ = try await bridge.admin("PUT", "/shop/o1", #"{"type":"order"}"#)
            _ = try await bridge.admin("PUT", "/shop/\(id)", #"{"a":1}"#)
            _ = try await bridge.admin("PUT", "/shop/\(id)?new_edits=false", #"{"_rev":"1-abcd"}"#)
            let json = try await bridge.admin("GET", "/shop/_overview").json
            #expect(json["unified"]?["live"]?.int == 2 && json["unified"]?["conflicted"]?.int == 1)
            let orders = json["collections"]?.array?.first { $0["name"]?.string == "sales.orders" }
            #expect(orders?["live"]?.int == 1 && orders?["hidden"]?.bool == false)
            #expect(json["routes"]?.array?.first?["when"]?.string == #"type is "order""#)
            let conflict = try #require(json["conflicts"]?.array?.first)
            #expect(conflict["id"]?.string == "<img src=x onerror=alert(1)>" && conflict["leaves"]?.int == 2)
            #expect(json["state"]?.string == "Online")
            _ = try await bridge.admin("POST", "/shop/_offline")
            #expect(try await bridge.admin("GET", "/shop/_overview").json["state"]?.string == "Offline")
        }
    }

    @Test("A resolved conflict is not listed")
    func resolved() async throws {
        try await RunningBridge.run { (bridge) async throws in
            for revision in ["1-aa", "1-bb"] {
                _ = try await bridge.admin("PUT", "/shop/d?new_edits=false", #"{"_rev":"\#(revision)"}"#)
            }
            #expect(try await bridge.admin("GET", "/shop/_overview").json["conflicts"]?.array?.count == 1)
            #expect(try await bridge.admin("DELETE", "/shop/d?rev=1-aa").status == 200)
            #expect(try await bridge.admin("GET", "/shop/_overview").json["conflicts"]?.array?.isEmpty == true)
        }
    }
}
