import Documents
import Foundation
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The audit log")
struct AuditLogTests {
    private func entry(_ target: String = "/shop/doc", user: String? = "ops", status: Int = 201) -> AuditEntry {
        AuditEntry(user: user, role: user == nil ? nil : .operator, address: "127.0.0.1", method: .put, target: target, status: status)
    }

    private func lines(_ path: String) throws -> [JSONValue] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { try JSONValue(Array($0.utf8)) }
    }

    @Test("A line has the time, the user, the request and the result; only the owner may read the file")
    func line() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("audit.jsonl").path
        let log = try AuditLog(file: path, logger: TestLog().logger)
        log.record(entry())
        log.record(entry("/shop/x\"y\u{2028}z", user: nil, status: 401))
        let found = try lines(path)
        #expect(found.count == 2)
        #expect(found[0].members?.map(\.key) == ["time", "user", "role", "address", "method", "path", "status"])
        #expect(found[0]["user"]?.string == "ops" && found[0]["role"]?.string == "operator" && found[0]["status"]?.int == 201)
        #expect(found[1]["user"]?.string == "-" && found[1]["role"]?.string == "-")
        let time = try #require(found[0]["time"]?.string)
        #expect(time.firstMatch(of: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) != nil, "\(time)")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "A line has no sessions and parameters",
        arguments: [
            "/shop/_session/0123456789", "/shop/_user/ann/_session/0123456789", "/shop/%5Fsession/0123456789",
            "/shop/%5fuser/ann/_sess%69on/0123456789", "/shop/x?access_token=0123456789",
        ])
    func secrets(_ target: String) {
        #expect(!entry(target).path.contains("0123456789"), "\(entry(target).path)")
    }

    @Test("A rotated file is created again; a file that cannot be opened is reported")
    func reopening() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("audit.jsonl").path
        let log = try AuditLog(file: path, logger: TestLog().logger)
        log.record(entry())
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        log.record(entry())
        try log.reopen()
        log.record(entry())
        #expect(try lines(path + ".1").count == 2 && lines(path).count == 1)
        #expect(throws: ConfigurationError.self) { try log.reopen(folder.url.appendingPathComponent("none/x").path) }
        log.record(entry())
        #expect(try lines(path).count == 2)
    }

    @Test("Without a file the lines are written to the log")
    func inLog() throws {
        let log = TestLog()
        try AuditLog(file: nil, logger: log.logger).record(entry())
        #expect(log.lines.count == 1 && log.lines[0].contains("audit") && log.lines[0].contains("/shop/doc"))
    }

    @Test("Refused requests do not fill the disk, and do not displace lines of other requests")
    func strangers() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("audit.jsonl").path
        let log = try AuditLog(file: path, logger: TestLog().logger)
        for _ in 0..<5_000 { log.record(entry(user: nil, status: 401), isUnauthenticated: true) }
        let count = try lines(path).count
        #expect((100..<4_000).contains(count))
        log.record(entry())
        #expect(try lines(path).count == count + 1)
    }
}
