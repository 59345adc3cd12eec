import Gateway
import Testing

@testable import LegacyClient

@Suite("Reactions to a failure of a 1.x replication")
struct RemedyTests {
    private static let page = "<html><body>404 Not Found</body></html>"
    private static let own = #"{"error":"not_found","reason":"missing"}"#

    private func origin(_ server: String?, _ type: String?, _ body: String) -> ReplicationError.Origin {
        ReplicationError.Origin(server: server, contentType: type, body: Array(body.utf8))
    }

    @Test(
        "A response is the server's own if it has the protocol's form, or has the server's name and is not a page",
        arguments: [
            (nil, "application/json", own, true), ("nginx/1.25", "application/json", own, true), ("nginx/1.25", nil, own, true),
            ("Couchbase Sync Gateway/2.8.4 EE", nil, "", true), ("CouchDB/3.3.3 (Erlang OTP/24)", "text/plain", "no", true),
            ("CouchbaseLite 1.4", "application/json", #"{"status":404,"error":"not_found"}"#, true),
            ("Couchbase Sync Gateway/2.8.4 EE", "text/html", page, false), ("nginx", "text/html", page, false),
            ("awselb/2.0", "text/plain", "404", false), (nil, nil, "", false),
            (nil, "application/json", #"{"message":"no Route matched"}"#, false),
            (nil, "application/json", #"{"status":404,"error":"Not Found","path":"/db"}"#, false), (nil, "application/json", "[]", false),
            (nil, "application/json", #"{"error":{},"reason":1}"#, false),
        ] as [(String?, String?, String, Bool)])
    func origins(server: String?, type: String?, body: String, isOwn: Bool) {
        #expect(origin(server, type, body) == (isOwn ? .server : .intermediary))
    }

    @Test("Bytes with another digest than announced are a bad attachment, for any message")
    func digests() {
        #expect(ReplicationError(local: GatewayError(.digestMismatch, "x")).code == .badAttachment)
        #expect(ReplicationError(local: GatewayError(.badRequest, "digest mismatch")).code == .badRequest)
        #expect("\(GatewayError(.digestMismatch, "x"))" == "badRequest: x")
    }

    @Test("The server's status is final, and an intermediary's is retried unless it concerns a single request")
    func remedies() {
        for status in 300..<600 {
            let code = ReplicationError.Code(rawValue: status)
            let isPassing = [408, 429].contains(status) || !(400..<500).contains(status)
            for origin in [nil, .server, .filter] as [ReplicationError.Origin?] {
                let error = ReplicationError(code, "x", from: origin)
                let expected: ReplicationError.Remedy =
                    status == 401 ? .logIn : isPassing && error.code != .callback ? .tryAgain : .change
                #expect(error.remedy == expected, "\(status) \(String(describing: origin))")
            }
            let foreign = ReplicationError(code, "x", from: .intermediary)
            #expect(foreign.remedy == .tryAgain && foreign.isTransient, "\(status)")
            #expect(foreign.isIntermediarysRefusal == ((400..<500).contains(status) && !isPassing), "\(status)")
            #expect(foreign.ofThisRequest.origin == .filter && foreign.ofThisRequest.code == code)
        }
        for code in [-1001, -1004, -1005, 588, 589, 590] {
            #expect(ReplicationError(.init(rawValue: code), "x").remedy == .tryAgain, "\(code)")
        }
        for code in [-1000, -1202, 593] { #expect(ReplicationError(.init(rawValue: code), "x").remedy == .change, "\(code)") }
    }

    @Test("The message contains whether the server itself has responded")
    func messages() {
        let own = ReplicationError(status: 404, url: "http://h/db", from: .server, body: Array(Self.own.utf8))
        #expect(own.message == "http://h/db answered 404: missing")
        let foreign = ReplicationError(status: 404, url: "http://h/db", from: .intermediary, body: Array(Self.page.utf8))
        #expect(foreign.message == "http://h/db answered 404, and the answer is not from the server itself; check the proxy in front of it")
    }

    @Test("A replication that continues after refusals stops only because of its own settings, and waits a minute at most")
    func persistence() {
        var lifecycle = ReplicationLifecycle()
        let attempts = ReplicationAttempts(goesOnAfterRefusals: true)
        #expect(lifecycle.start(isContinuous: true, attempts: attempts) == [.run])
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            lifecycle.connected()
            #expect(lifecycle.ended(ReplicationError(.unauthorized, "x", from: .server)) == [.wait(.seconds(seconds))])
            #expect(lifecycle.status == .offline && lifecycle.isInterrupted && lifecycle.waited() == [.run])
        }
        // A replication that had caught up retries soon.
        lifecycle.transfers(false)
        for code in [400, 403, 404, 405, 410, 413, 415, 503, 589, -1202] {
            lifecycle.transfers(false)
            #expect(lifecycle.ended(ReplicationError(.init(rawValue: code), "x", from: .server)) == [.wait(.seconds(2))], "\(code)")
            #expect(lifecycle.status == .offline && lifecycle.waited() == [.run])
        }
        #expect(lifecycle.ended(ReplicationError(.badURL, "x")).isEmpty && lifecycle.status == .stopped)
        #expect(lifecycle.start(isContinuous: true, attempts: attempts) == [.run])
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            #expect(lifecycle.ended(ReplicationError(.cannotConnect, "x")) == [.wait(.seconds(seconds))])
            #expect(lifecycle.waited() == [.run])
        }
        #expect(lifecycle.stop() == [.cancel] && lifecycle.ended(nil).isEmpty)
        // One-shot replications and replications with a limit of attempts end.
        #expect(lifecycle.start(isContinuous: false, attempts: attempts) == [.run])
        #expect(lifecycle.ended(ReplicationError(.forbidden, "x", from: .server)).isEmpty && lifecycle.status == .stopped)
        let counted = ReplicationAttempts(maximum: 3, goesOnAfterRefusals: true)
        #expect(lifecycle.start(isContinuous: true, attempts: counted) == [.run])
        #expect(lifecycle.ended(ReplicationError(.forbidden, "x", from: .server)).isEmpty && lifecycle.status == .stopped)
    }

    @Test("An intermediary's response does not stop a continuous replication")
    func intermediary() {
        var lifecycle = ReplicationLifecycle()
        #expect(lifecycle.start(isContinuous: true) == [.run])
        for (status, seconds) in zip([404, 401, 403, 410, 413, 301, 200], [2, 4, 8, 16, 32, 60, 60]) {
            let error = ReplicationError(.init(rawValue: status), "x", from: .intermediary)
            #expect(lifecycle.ended(error) == [.wait(.seconds(seconds))] && lifecycle.status == .offline)
            #expect(lifecycle.waited() == [.run])
        }
    }
}
