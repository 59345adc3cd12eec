import BLIP
import Foundation
import Testing

/// A recorded conversation of a real client with a real server.
struct Capture {
    /// One WebSocket message, and what it says.
    struct Line: Decodable {
        let from: String
        let number: UInt64
        let type: String
        let flags: [String]
        let properties: [String: String]?
        let body: String?

        /// The frame in base64, of clients whose very bytes are replayed.
        let payload: String?

        var isClient: Bool { from == "client" }
        var isRequest: Bool { type == "MSG" }
        var isReply: Bool { type == "RPY" || type == "ERR" }
        var isLast: Bool { !flags.contains("moreComing") }
        var noReply: Bool { flags.contains("noReply") }
        var profile: String? { properties?["Profile"] }

        var frame: [UInt8]? {
            payload.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        }

        /// The message as it can be sent again, with other properties where they are given.
        func request(replacing changes: [String: String] = [:]) -> BLIPMessage {
            var list = BLIPProperties()
            for (key, value) in (properties ?? [:]).sorted(by: { $0.key < $1.key }) where key != "Profile" {
                list.add(key, changes[key] ?? value)
            }
            return .request(profile ?? "", properties: list, body: Array((body ?? "").utf8), noReply: noReply)
        }
    }

    let lines: [Line]

    init(_ name: String) throws {
        let url = try #require(Bundle.module.url(forResource: name, withExtension: "jsonl", subdirectory: "Captures"))
        lines = try String(decoding: Data(contentsOf: url), as: UTF8.self).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    /// The server's reply to the client's request with this number.
    func reply(to number: UInt64) -> Line? {
        lines.first { !$0.isClient && $0.isReply && $0.number == number && $0.isLast }
    }

    func requests(fromClient: Bool, _ profile: String? = nil) -> [Line] {
        lines.filter { $0.isClient == fromClient && $0.isRequest && $0.isLast && (profile == nil || $0.profile == profile) }
    }

    /// Checks that a reply is such that the recorded client would have gone on as it did.
    static func compare(_ reply: BLIPMessage, with recorded: Line, sourceLocation: SourceLocation = #_sourceLocation) {
        let what = Comment(rawValue: "reply \(recorded.number)")
        #expect((reply.type == .error) == (recorded.type == "ERR"), what, sourceLocation: sourceLocation)
        for key in ["Error-Domain", "Error-Code", "rev"] {
            #expect(reply.properties[key] == recorded.properties?[key], what, sourceLocation: sourceLocation)
        }
        guard reply.type == .reply else { return }
        #expect(json(String(decoding: reply.body, as: UTF8.self)) == json(recorded.body ?? ""), what, sourceLocation: sourceLocation)
    }

    /// A JSON text in a form that can be compared.
    static func json(_ text: String) -> NSObject? {
        guard !text.isEmpty else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? NSObject
    }
}
