package import BLIP
package import Foundation
package import Testing

/// A recorded conversation of a real client with a real server.
package struct Capture {
    /// One decoded WebSocket message.
    package struct Line: Decodable {
        package let from: String
        package let number: UInt64
        package let type: String
        package let flags: [String]
        package let properties: [String: String]?
        package let body: String?

        /// The frame in base64, in recordings whose frames are replayed.
        package let payload: String?

        package var isClient: Bool { from == "client" }
        package var isRequest: Bool { type == "MSG" }
        package var isReply: Bool { type == "RPY" || type == "ERR" }
        package var isLast: Bool { !flags.contains("moreComing") }
        package var noReply: Bool { flags.contains("noReply") }
        package var profile: String? { properties?["Profile"] }

        package var frame: [UInt8]? {
            payload.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        }

        /// The message as a request, with some properties replaced.
        package func request(replacing changes: [String: String] = [:]) -> BLIPMessage {
            var list = BLIPProperties()
            for (key, value) in (properties ?? [:]).sorted(by: { $0.key < $1.key }) where key != "Profile" {
                list.add(key, changes[key] ?? value)
            }
            return .request(profile ?? "", properties: list, body: Array((body ?? "").utf8), noReply: noReply)
        }
    }

    package let lines: [Line]

    package init(_ name: String) throws {
        let url = try #require(Bundle.module.url(forResource: name, withExtension: "jsonl", subdirectory: "Captures"))
        lines = try String(decoding: Data(contentsOf: url), as: UTF8.self).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    /// The server's reply to the client's request with this number.
    package func reply(to number: UInt64) -> Line? {
        lines.first { !$0.isClient && $0.isReply && $0.number == number && $0.isLast }
    }

    package func requests(fromClient: Bool, _ profile: String? = nil) -> [Line] {
        lines.filter { $0.isClient == fromClient && $0.isRequest && $0.isLast && (profile == nil || $0.profile == profile) }
    }

    /// Compares a reply with the recorded one in everything that affects the client.
    package static func compare(_ reply: BLIPMessage, with recorded: Line, sourceLocation: SourceLocation = #_sourceLocation) {
        let what = Comment(rawValue: "reply \(recorded.number)")
        #expect((reply.type == .error) == (recorded.type == "ERR"), what, sourceLocation: sourceLocation)
        for key in ["Error-Domain", "Error-Code", "rev"] {
            #expect(reply.properties[key] == recorded.properties?[key], what, sourceLocation: sourceLocation)
        }
        guard reply.type == .reply else { return }
        #expect(json(String(decoding: reply.body, as: UTF8.self)) == json(recorded.body ?? ""), what, sourceLocation: sourceLocation)
    }

    /// A JSON text in a comparable form.
    package static func json(_ text: String) -> NSObject? {
        guard !text.isEmpty else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? NSObject
    }
}
