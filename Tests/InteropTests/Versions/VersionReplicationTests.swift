import BLIP
import Documents
import Testing

/// `dualgauge replicate` between two bridges whose apps are on Couchbase Lite 4.
@Suite("Replication with versions, over sockets", .serialized)
struct VersionReplicationTests {
    private static let lines = "    guest: { enabled: true, channels: [\"*\"] }\n"

    private func serve(_ folder: TemporaryFolder, _ more: String = "") async throws -> Program {
        try await Program(
            serving: try folder.write(
                "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                    + Self.lines + more, to: "dualgauge.yaml"))
    }

    /// The first row behind a position, as soon as it exists.
    private func next(_ port: Int, since: String = "0") async throws -> (id: String?, sequence: String) {
        let socket = try RawSocket(port: port)
        defer { socket.cut() }
        let answer = try await socket.ask("GET", "/shop/_changes?feed=longpoll&limit=1&since=\(since)").json
        let sequence = answer["last_seq"]
        return (answer["results"]?.array?.first?["id"]?.string, sequence?.string ?? sequence?.int.map(String.init) ?? "0")
    }

    @Test("With `versions: true` each side of a continuous replication gets the other's documents under the same versions")
    func continuous() async throws {
        let (here, there) = (try TemporaryFolder(), try TemporaryFolder())
        let one = try await serve(here)
        let up = "    replications:\n      up: { remote: \"ws://127.0.0.1:\(one.port)/shop\", continuous: true, versions: true }\n"
        let two = try await serve(there, up)
        _ = try await put("/shop/a", #"{"n":1}"#, one.port)
        #expect(try await next(two.port).id == "a")
        let place = try await next(one.port).sequence
        _ = try await put("/shop/b", #"{"n":1}"#, two.port)
        #expect(try await next(one.port, since: place).id == "b")
        let (first, second) = (try await pulled(one.port), try await pulled(two.port))
        #expect(first == second && Set(first.keys) == ["a", "b"])
        await two.kill()
        await one.kill()
    }

    /// The result of a 4.x client's whole pull: version, history and tree by document.
    private func pulled(_ port: Int) async throws -> [String: [String?]] {
        try await RawBLIP(port: port, "BLIP_3+CBMobile_4").pull("_default").mapValues {
            [$0.properties["rev"], $0.properties["history"], $0.properties["deleted"]]
        }
    }

    private func put(_ path: String, _ body: String, _ port: Int) async throws -> String {
        let socket = try RawSocket(port: port)
        defer { socket.cut() }
        let answer = try await socket.ask("PUT", path, body)
        #expect(answer.status == 201)
        return try #require(try answer.json["rev"]?.string)
    }

    @Test(
        "A copy has the versions and the revisions of the original; with --no-versions it has no versions",
        arguments: [true, false])
    func copies(takesVersions: Bool) async throws {
        let (here, there) = (try TemporaryFolder(), try TemporaryFolder())
        let one = try await serve(here)
        let first = try await put("/shop/a", #"{"n":1}"#, one.port)
        let shown = try await pulled(one.port)
        let second = try await put("/shop/a?rev=\(first)", #"{"n":2}"#, one.port)
        _ = try await put("/shop/b", #"{"n":1}"#, one.port)
        let store = "\(there.path)/shop.dualgauge"
        let source = "ws://127.0.0.1:\(one.port)/shop"
        let options = takesVersions ? [] : ["--no-versions"]
        let copy = try await Program.run(["replicate", "--from", source, "--to", store, "--pull"] + options)
        #expect(copy.code == 0 && copy.output.contains("pulled 2"), "\(copy.output) \(copy.errors)")
        let again = try await Program.run(["replicate", "--from", source, "--to", store] + options)
        #expect(again.code == 0 && again.output.contains("Pushed 0 and pulled 0"), "\(again.output) \(again.errors)")
        let two = try await serve(there)
        let (original, copied) = (try await pulled(one.port), try await pulled(two.port))
        #expect(Set(copied.keys) == ["a", "b"])
        #expect((original == copied) == takesVersions)
        #expect(shown["a"]?.first != original["a"]?.first)
        let socket = try RawSocket(port: two.port)
        #expect(try await socket.ask("GET", "/shop/a").json["_rev"]?.string == second)
        socket.cut()
        await one.kill()
        await two.kill()
    }
}
