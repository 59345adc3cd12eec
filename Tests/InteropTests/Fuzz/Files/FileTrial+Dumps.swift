import Documents
import Foundation
import GRDB
import LegacyFiles
import TestSupport

extension FileTrial {
    /// A damaged dump, or a damaged database of Couchbase Lite 1.x.
    mutating func playDump() async throws {
        let kind = maker.random.pick(["jsonl", "json", "sqlite3", "routes"])
        let name = kind == "sqlite3" ? "old.cblite2" : "dump.\(kind == "routes" ? "jsonl" : kind)"
        var input = try whole(kind, name)
        // The description of the input in a report of a fault.
        var description: [UInt8] = []
        if kind == "sqlite3" {
            let places = (0..<maker.random.number(1...20)).map { _ in maker.random.number(0...(input.count - 1)) }
            for place in places { input[place] ^= 1 << UInt8(maker.random.number(0...7)) }
            description = Array("a database of 200 documents with other bits at \(places)".utf8)
            if maker.random.once(in: 4) { input.removeLast(maker.random.number(1...(input.count - 1))) }
            try folder.write(input, to: "\(name)/db.sqlite3")
        } else {
            for _ in 0..<maker.random.number(1...4) { maker.damage(&input) }
            try folder.write(input, to: name)
            description = input
        }
        var arguments = ["migrate", "--from", "\(folder.path)/\(name)", "--to", "\(folder.path)/new.dualgauge", "--json"]
        if kind == "routes" {
            var routes = Array(
                "collections: { a.b: {} }\nroutes:\n  - { to: a.b, when: { property: n, equals: 3 } }\n  - { to: a.b, when: { idPattern: \"^d[0-9]$\" } }\n"
                    .utf8)
            maker.damage(&routes)
            arguments += ["--routes", try folder.write(routes, to: "routes.yaml")]
            description += routes
        }
        if maker.random.once(in: 4) { arguments.append("--dry-run") }
        let end = try await folder.run(arguments)
        try check(end, of: description, codes: [0, 1, 2, 3])
        // If nothing could be read there is no report; the reason was printed.
        guard end.code == 0 || end.code == 1 && !end.output.isEmpty else { return }
        guard let report = try? JSONValue(Array(end.output.utf8)) else {
            throw FuzzFault("the report is no JSON", sent: description, answered: end.description)
        }
        let failures = report["failures"]?["items"]?.array?.count ?? 0
        if end.code == 0, failures > 0 {
            throw FuzzFault("\(failures) failures, and exit code 0", sent: description, answered: end.description)
        }
        guard !arguments.contains("--dry-run") else { return }
        let sound = try await folder.run(["check", "\(folder.path)/new.dualgauge"])
        try check(sound, of: description, codes: [0])
    }

    private func whole(_ kind: String, _ name: String) throws -> [UInt8] {
        switch kind {
        case "json":
            let rows = (0..<TrialBase.count).map {
                #"{"id":"d\#($0)","key":"d\#($0)","value":{"rev":"1-aa"},"doc":{"_id":"d\#($0)","_rev":"1-aa","n":\#($0)}}"#
            }
            return Array((#"{"total_rows":60,"offset":0,"rows":["# + rows.joined(separator: ",\n") + "]}").utf8)
        case "sqlite3":
            try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)/attachments", withIntermediateDirectories: true)
            let file = try LegacyDatabaseFile("\(folder.path)/\(name)/db.sqlite3", schema: LegacyDatabaseFile.schema)
            try file.fill(1...200)
            try file.queue.close()
            return try folder.read("\(name)/db.sqlite3")
        default: return TrialBase.dump
        }
    }
}
