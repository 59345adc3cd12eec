import Foundation
import HTTP
import Storage
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Metrics")
struct MetricsTests {
    @Test("A process's times are read from proc(5), for any process name")
    func process() {
        let line = "17 (a (b) 9) S " + (4...52).map(String.init).joined(separator: " ")
        let stat = ProcessFigures.Stat(line)
        #expect(stat.ticks == 14 + 15 && stat.start == 22)
        #expect(ProcessFigures.Stat("").ticks == nil && ProcessFigures.Stat("1 (a) S 4").start == nil)
        #expect(ProcessFigures.boot("cpu 1 2\nbtime 1700000000\nprocesses 9") == 1_700_000_000)
        #expect(ProcessFigures.boot("cpu 1") == nil)
        let here = ProcessFigures()
        #expect((here.openFiles ?? 0) > 2 && (here.processorTime ?? -1) >= 0)
        #expect(abs((here.start ?? 0) - Date.now.timeIntervalSince1970) < 24 * 3_600)
    }

    @Test(
        "A path's class is one of a fixed list, for any path",
        arguments: [
            ("/", "root"), ("/_ping", "_ping"), ("/_all_dbs", "_all_dbs"), ("/_ping/x", "unknown"), ("/_other", "unknown"),
            ("/metrics", "metrics"), ("/metrics/", "database"), ("//shop", "unknown"), ("/shop", "database"), ("/shop/", "database"),
            ("/shop/doc", "document"), ("/shop/doc/photo", "attachment"), ("/shop/_changes?feed=longpoll", "_changes"),
            ("/shop/_user/zoe", "_user"), ("/shop/_config/sync", "_config"), ("/shop/_oidc_callback", "_oidc_callback"),
            ("/shop/_blipsync", "_blipsync"), ("/shop/_local/a", "_local"), ("/shop/_design/a", "_design"), ("/shop/_x", "unknown"),
            ("/shop.a.b/_bulk_docs", "_bulk_docs"),
        ])
    func classes(target: String, name: String) throws {
        #expect(try RequestClass(RequestTarget(target)).name == name)
    }
}
