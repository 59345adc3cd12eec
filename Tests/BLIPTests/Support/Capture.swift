import Foundation
import Testing

@testable import BLIP

/// A recorded conversation: one decoded frame per line.
struct Capture {
    struct Line: Decodable {
        struct Meaning: Decodable {
            let number: UInt64
            let type: String
            let flags: [String]
            let properties: [String: String]?
            let body: String?
            let bytes: UInt64?
        }

        let connection: Int
        let from: String
        let payload: String
        let blip: Meaning
    }

    let lines: [Line]

    init(_ name: String) throws {
        let url = try #require(Bundle.module.url(forResource: "Captures/\(name)", withExtension: nil))
        lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    /// The names of all captures.
    static var names: [String] {
        let folder = Bundle.module.resourceURL?.appendingPathComponent("Captures").path ?? ""
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.sorted()
    }
}
