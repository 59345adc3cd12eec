import Documents
import Gateway
import TestSupport
import Testing

@Suite("The documents that a user sees, on the admin port", .serialized, .timeLimit(.minutes(3)))
struct SeenDocumentsTests {
    private func list(_ bridge: RunningBridge, _ user: String, _ query: String = "") async throws -> (ids: [String], next: String?) {
        let json = try await bridge.admin("GET", "/shop/_user/\(user)/_documents\(query)").json
        return (json["documents"]?.array?.compactMap { $0["id"]?.string } ?? [], json["next"]?.string)
    }

    @Test("A user's channels decide; pages follow each other without gaps and repetitions; the guest has a list, too")
    func pages() async throws {
        try await RunningBridge.run {
            $0.guest.channels = ["g"]
        } _: { bridge in
            let users = [("anna", #"["a"]"#), ("ben", #"["*"]"#), ("carl", "[]")]
            for (name, channels) in users {
                let body = #"{"password":"letmein","admin_channels":\#(channels)}"#
                #expect(try await bridge.admin("PUT", "/shop/_user/\(name)", body).status == 201)
            }
            for number in 0..<25 {
                let channel = number % 5 == 0 ? "a" : "g"
                let path = "/shop/d\(number < 10 ? "0" : "")\(number)"
                #expect(try await bridge.admin("PUT", path, #"{"channels":["\#(channel)"]}"#).status == 201)
            }
            #expect(try await bridge.admin("PUT", "/shop/order", #"{"channels":["a"],"type":"order"}"#).status == 201)

            #expect(try await list(bridge, "anna").ids == ["d00", "d05", "d10", "d15", "d20", "order"])
            #expect(try await list(bridge, "carl").ids.isEmpty)
            #expect(try await list(bridge, "GUEST").ids.count == 20)
            #expect(try await list(bridge, "anna", "?collection=sales.orders").ids == ["order"])

            var (ids, next) = try await list(bridge, "ben", "?limit=7")
            while let start = next {
                let page = try await list(bridge, "ben", "?limit=7&startkey=\(start)")
                ids += page.ids
                next = page.next
            }
            #expect(ids.count == 26 && ids == ids.sorted() && Set(ids).count == 26)
            #expect(try await list(bridge, "ben", "?limit=26").next == nil)
        }
    }

    @Test("A missing or disabled user is 404, and a page without a size is refused")
    func refusals() async throws {
        try await RunningBridge.run { bridge in
            let body = #"{"password":"letmein","disabled":true}"#
            #expect(try await bridge.admin("PUT", "/shop/_user/anna", body).status == 201)
            for user in ["anna", "nobody"] {
                let answer = try await bridge.admin("GET", "/shop/_user/\(user)/_documents")
                #expect(answer.status == 404, "\(user)")
            }
            for query in ["?limit=0", "?limit=1001", "?limit=x"] {
                #expect(try await bridge.admin("GET", "/shop/_user/GUEST/_documents\(query)").status == 400, "\(query)")
            }
            #expect(try await bridge.admin("GET", "/shop/_user/GUEST/_documents?collection=no.such").status == 404)
        }
    }
}
