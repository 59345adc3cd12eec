import BLIP
import Documents
import Gateway
import Storage
import TestSupport
import Testing

@Suite("GET /metrics", .serialized)
struct MetricsTests {
    private static func value(_ line: String, in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("\(line) ") }.flatMap { Int($0.dropFirst(line.utf8.count + 1)) }
    }

    @Test("Documents, requests, logins and failures of functions are counted as they happened")
    func counts() async throws {
        let throwing = "function (doc) { if (doc.fails) { null.x } }"
        try await RunningBridge.run({ database in
            database.collections.append(CollectionConfiguration(name: .default, syncFunction: throwing))
        }) { (bridge) async throws in
            func metric(_ line: String) async throws -> Int? {
                Self.value(line, in: try await bridge.admin("GET", "/metrics").text)
            }
            for number in 0..<3 { #expect(try await bridge.ask("PUT", "/shop/\(number)", "{}").status == 201) }
            #expect(try await bridge.ask("PUT", "/shop/order", #"{"type":"order"}"#).status == 201)
            #expect(try await bridge.ask("PUT", "/shop/bad", #"{"fails":true}"#).status == 500)
            #expect(try await bridge.ask("GET", "/shop/0", headers: basic("nobody", "wrong")).status == 401)
            #expect(try await bridge.ask("GET", "/shop/none").status == 404)
            #expect(try await bridge.ask("GET", "/shop/%ff").status == 400)
            let answer = try await bridge.admin("GET", "/metrics")
            #expect(answer.status == 200)
            #expect(answer.head.lowercased().contains("content-type: text/plain; version=0.0.4"))
            #expect(try await metric(#"dualgauge_documents{database="shop",collection="_default._default",state="live"}"#) == 3)
            #expect(try await metric(#"dualgauge_documents{database="shop",collection="sales.orders",state="live"}"#) == 1)
            #expect(try await metric(#"dualgauge_requests_total{port="public",class="document",status="201"}"#) == 4)
            #expect(try await metric(#"dualgauge_requests_total{port="public",class="document",status="500"}"#) == 1)
            #expect(try await metric(#"dualgauge_requests_total{port="public",class="document",status="404"}"#) == 1)
            #expect(try await metric(#"dualgauge_requests_total{port="public",class="unknown",status="400"}"#) == 1)
            #expect(try await metric(#"dualgauge_request_seconds_count{port="public",class="document"}"#) == 7)
            #expect(try await metric(#"dualgauge_request_seconds_bucket{port="public",class="document",le="+Inf"}"#) == 7)
            #expect(try await metric(#"dualgauge_logins_failed_total{database="shop",outcome="refused"}"#) == 1)
            #expect(try await metric(#"dualgauge_script_failures_total{kind="exception"}"#) == 1)
            // Metrics that monitoring of Sync Gateway reads.
            let variables = try await bridge.admin("GET", "/_expvar").json["syncgateway"]
            #expect(variables?["global"]?["resource_utilization"]?["process_memory_resident"]?.int ?? 0 > 1_000_000)
            #expect(variables?["global"]?["resource_utilization"]?["error_count"]?.int == 1)
            let shop = variables?["per_db"]?["shop"]
            #expect(shop?["security"]?["auth_failed_count"]?.int == 1)
            #expect(shop?["database"]?["high_seq_feed"]?.int ?? 0 > Int(SequenceNumber.newOrigin.value))
            #expect(try await metric(#"dualgauge_online{database="shop"}"#) == 1)
            #expect((try await metric(#"dualgauge_commits_total{database="shop"}"#) ?? 0) >= 4)
            #expect(try await bridge.ask("GET", "/metrics").status == 404)
        }
    }

    @Test("Bridges in one process count apart")
    func separation() async throws {
        try await RunningBridge.run { (first) async throws in
            try await RunningBridge.run { (second) async throws in
                for bridge in [first, first, second] { #expect(try await bridge.ask("GET", "/shop/").status == 200) }
                for (bridge, count) in [(first, 2), (second, 1)] {
                    let text = try await bridge.admin("GET", "/metrics").text
                    #expect(Self.value(#"dualgauge_requests_total{port="public",class="database",status="200"}"#, in: text) == count)
                    #expect(Self.value(#"dualgauge_logins_total{database="shop",method="guest"}"#, in: text) == count)
                }
            }
        }
    }

    @Test("Feeds and connections are counted while they are open")
    func activity() async throws {
        try await RunningBridge.run { (bridge) async throws in
            func expect(_ kind: String, _ count: Int) async throws {
                let line = #"dualgauge_open{database="shop",kind="\#(kind)"}"#
                try await eventually { Self.value(line, in: try await bridge.admin("GET", "/metrics").text) == count }
            }
            for feed in ["longpoll", "continuous"] {
                let socket = try bridge.connect()
                try await socket.send("GET /shop/_changes?feed=\(feed)&heartbeat=60000 HTTP/1.1\r\nHost: a\r\n\r\n")
                try await expect(feed, 1)
                // The next write detects that the client has left.
                #expect(try await bridge.ask("PUT", "/shop/\(feed)", "{}").status == 201)
                socket.cut()
                try await expect(feed, 0)
            }
            let client = try await RawBLIP(bridge)
            try await expect("blip", 1)
            _ = try await client.ask("subChanges", ["continuous": "true"])
            try await expect("sub_changes", 1)
            client.socket.socket.cut()
            try await expect("sub_changes", 0)
            try await expect("blip", 0)
        }
    }

    @Test("Bytes saved by delta sync are counted in both directions, and deltas in vain")
    func deltas() async throws {
        try await RunningBridge.run({ $0.deltaSync = true }) { (bridge) async throws in
            func metric(_ name: String, _ label: String) async throws -> Int? {
                let line = #"dualgauge_delta\#(name)_total{database="shop",\#(label)"}"#
                return Self.value(line, in: try await bridge.admin("GET", "/metrics").text)
            }
            #expect(try await metric("s", #"outcome="sent"#) == 0)
            let text = String(repeating: "x", count: 1_000), first = "1-" + String(repeating: "a", count: 32)
            let client = try await RawBLIP(bridge)
            let properties: BLIPProperties = ["id": "doc", "rev": first, "sequence": "1"]
            #expect(try await client.ask("rev", properties, #"{"n":1,"text":"\#(text)"}"#).type == .reply)
            for (source, revision) in [("1-bb", "2-bb"), (first, "2-cc")] {
                let delta: BLIPProperties = ["id": "doc", "rev": revision, "history": first, "deltaSrc": source, "sequence": "2"]
                _ = try await client.ask("rev", delta, #"{"n":2}"#)
            }
            #expect(try await metric("s", #"outcome="received"#) == 1)
            #expect(try await metric("s", #"outcome="refused"#) == 1)
            #expect(try await metric("_saved_bytes", #"direction="received"#) == #"{"n":2,"text":"\#(text)"}"#.utf8.count - 7)
            _ = try await client.ask("subChanges")
            let changes = try await client.request()
            try await client.reply(.reply(to: changes.number, properties: ["deltas": "true"], body: Array(#"[["\#(first)"]]"#.utf8)))
            var sent = try await client.request()
            while sent.profile != "rev" { sent = try await client.request() }
            #expect(sent.properties["deltaSrc"] == first)
            #expect(try await metric("s", #"outcome="sent"#) == 1)
            #expect((try await metric("_saved_bytes", #"direction="sent"#) ?? 0) > 1_000)
        }
    }
}
