import Coordination
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The log")
struct LogTests {
    private final class Lines: Sendable {
        private let kept = Lock<[String]>([])

        /// Without their times.
        var all: [String] { kept.withLock { $0.map { String($0.drop { $0 != " " }.dropFirst()) } } }

        var raw: [String] { kept.withLock { $0 } }

        func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    private func log(_ change: (inout LogSettings) -> Void = { _ in }) -> (LogControl, Lines) {
        var settings = LogSettings()
        change(&settings)
        let lines = Lines()
        return (LogControl(settings) { lines.add($0) }, lines)
    }

    @Test("Levels are set by domain, also while loggers are in use")
    func levels() {
        let (control, lines) = log()
        let logger = control.logger("test")
        let http = logger.of(.http)
        http.info("one")
        http.warning("two")
        logger.of(.sync).info("three")
        control.change { $0.domains[.http] = .debug }
        http.debug("four")
        control.change { $0.level = .error }
        logger.info("five")
        logger.of(.sync).info("six")
        #expect(lines.all == ["warning [HTTP] two", "info [Sync] three", "debug [HTTP] four"])
    }

    @Test("Data of users is marked, or replaced by a stable digest")
    func redaction() {
        let (control, lines) = log()
        let logger = control.logger("test")
        let metadata: Logger.Metadata = ["user": "ann <x>", "count": "2", "document": "a\nb"]
        logger.info("said", metadata: metadata)
        control.change { $0.redaction = .none }
        logger.info("said", metadata: metadata)
        control.change { $0.redaction = .full }
        logger.info("said", metadata: metadata)
        logger.info("said", metadata: metadata)
        #expect(lines.all[0] == "info said count=2 document=<ud>a\\u{a}b</ud> user=<ud>\"ann \u{2039}x>\"</ud>")
        #expect(lines.all[1] == "info said count=2 document=a\\u{a}b user=\"ann <x>\"")
        #expect(lines.all[2] == lines.all[3] && !lines.all[2].contains("ann") && lines.all[2].contains("user=<ud>#"))
    }

    @Test("In JSON each line is one object; both formats have the time with its zone, and marks for data of users")
    func json() throws {
        let (control, lines) = log { $0.format = .json }
        control.logger("test").of(.auth).warning("it \"said\"\n", metadata: ["user": "ann", "count": "2", "level": "x"])
        control.change { $0.format = .text }
        control.logger("test").info("plain")
        let text = try #require(lines.raw.first)
        let json = try JSONValue(Array(text.utf8))
        #expect(json.members?.map(\.key) == ["time", "level", "domain", "message", "count", "level_", "user"])
        #expect(json["level"]?.string == "warning" && json["message"]?.string == "it \"said\"\n")
        #expect(json["user"]?.string == "<ud>ann</ud>" && !text.contains("\n"))
        for line in [try #require(json["time"]?.string), lines.raw[1]] {
            #expect(line.firstMatch(of: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(line)")
        }
    }

    @Test(
        "Paths in the log have no secrets",
        arguments: [
            ("/db/_changes?feed=longpoll&since=3&channels=secret", "/db/_changes?feed=longpoll&since=3"),
            ("/db/_session/0123456789abcdef", "/db/_session/\u{2026}"), ("/db/_user/ann/_session/0123", "/db/_user/ann/_session/\u{2026}"),
            ("/db/_oidc_callback?code=abc&state=x", "/db/_oidc_callback"), ("/db/_oidc_refresh?refresh_token=t", "/db/_oidc_refresh"),
            ("/db/doc%20one?rev=1-a", "/db/doc%20one?rev=1-a"), ("/", "/"), ("", ""),
        ])
    func paths(_ target: String, _ expected: String) {
        #expect(LoggedPath(target).text == expected)
    }

    @Test("The generation is derived from the client's software")
    func generations() {
        #expect(ClientGeneration("CouchbaseLite/1.3 (iOS 1.4.4/abc)", isBLIP: false).description == "1")
        #expect(ClientGeneration("PouchDB", isBLIP: false).description == "1")
        #expect(ClientGeneration("CouchbaseLite/3.2.1-5 (Java; Android)", isBLIP: true).description == "3")
        #expect(ClientGeneration("CouchbaseLite/2.8.0", isBLIP: true).description == "2")
        #expect(ClientGeneration("curl", isBLIP: true).description == "2+")
        #expect(LoggedPath("/db/_blipsync").isBLIP)
    }

    private func ask(_ control: LogControl, _ method: HTTPRequest.Method, _ body: String) async -> (Int, LogSettings) {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: "/_logging")
        let response = await LogEndpoint(control: control).change(
            by: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body))))
        return (response.status.code, control.settings)
    }

    @Test("_logging accepts our form and Sync Gateway's")
    func endpoint() async {
        let (control, _) = log()
        #expect(LogEndpoint(control: control).describe().status == .ok)
        let ours = await ask(control, .post, #"{"level":"debug","domains":{"HTTP":"trace"},"redaction":"full"}"#)
        #expect(ours.0 == 200 && ours.1.level == .debug && ours.1.domains == [.http: .trace] && ours.1.redaction == .full)
        let keys = await ask(control, .post, #"{"HTTP":false,"Sync":true,"DCP":true}"#)
        #expect(keys.1.domains == [.http: .warning, .sync: .info])
        let replaced = await ask(control, .put, #"{"Auth":true}"#)
        #expect(
            replaced.1.domains[.auth] == .info && replaced.1.domains[.sync] == .warning
                && replaced.1.domains.count == LogDomain.allCases.count)
        for wrong in ["", "[]", #"{"level":"loud"}"#, #"{"domains":{"X":"info"}}"#, #"{"HTTP":1}"#, #"{"redaction":"some"}"#] {
            let answer = await ask(control, .put, wrong)
            #expect(answer.0 == 400 && answer.1 == replaced.1, "\(wrong)")
        }
    }
}
