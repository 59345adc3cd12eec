import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import LegacyTestSupport
import NIOCore
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Responses that are written in pieces")
struct AnswerPieceTests {
    /// Sizes around the length of a piece and of a base64 group.
    private static let sizes = [0, 1, 200, 201, 999, 1000, 1001, 1002, 2997, 2998, 2999, 3000, 10_000]

    private static func text(_ size: Int) -> String {
        Base64.encode((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) })
    }

    /// Three documents with attachments of these sizes, and one without attachments.
    private func bridge(_ limits: LegacyLimits) async throws -> Bridge {
        let bridge = try await Bridge(limits: limits)
        let attachments = Self.sizes.map { #""a\#($0)":{"data":"\#(Self.text($0))"}"# }.joined(separator: ",")
        for id in ["a", "b", "c"] {
            try await bridge.push(
                #"{"_id":"\#(id)","_rev":"1-x","_attachments":{\#(attachments)},"text" :\#n"line"}"#)
        }
        try await bridge.push(#"{"_id":"d","_rev":"1-x"}"#)
        return bridge
    }

    private var small: LegacyLimits {
        var limits = LegacyLimits()
        limits.chunkSize = 1000
        return limits
    }

    /// Limits with which every attachment is read before the response begins.
    private var atHand: LegacyLimits {
        var limits = small
        limits.inlineAttachmentSize = .max
        return limits
    }

    @Test(
        "Attachments in JSON that are read while the response is sent give the same bytes as attachments that are read before",
        arguments: [
            "/db/a?attachments=true&revs=true&conflicts=true", "/db/a?attachments=true&open_revs=[%221-x%22,%222-y%22]",
            "/db/_changes?include_docs=true&attachments=true", "/db/_changes?include_docs=true&attachments=true&feed=longpoll",
            "/db/_all_docs?include_docs=true&attachments=true", "/db/_all_docs?include_docs=true&attachments=true&descending=true&limit=3",
        ])
    func within(target: String) async throws {
        let headers: HTTPFields = [.accept: "application/json"]
        let streamed = try await bridge(small).respond(.get, target, headers: headers)
        let whole = try await Answer(bridge(atHand).respond(.get, target, headers: headers))
        let answer = try await Answer(streamed)
        #expect(answer.text == whole.text && answer.status == 200)
        for size in Self.sizes { #expect(answer.text.contains(#""data":"\#(Self.text(size))""#)) }
        // The announced length is the length that is sent.
        if let length = streamed.body.contentLength { #expect(length == answer.bytes.count) }
    }

    @Test("Attachments in a JSON response of _bulk_get are read while the response is sent")
    func bulk() async throws {
        let json = #"{"docs":[{"id":"a"},{"id":"nobody"},{"id":"b","rev":"1-x"},{"id":"c"},{"id":"a"}]}"#
        let headers: HTTPFields = [.accept: "application/json"]
        let streamed = try await bridge(small).send(.post, "/db/_bulk_get?attachments=true&revs=true", headers: headers, json: json)
        let whole = try await bridge(atHand).send(.post, "/db/_bulk_get?attachments=true&revs=true", headers: headers, json: json)
        #expect(streamed.text == whole.text)
        for size in Self.sizes {
            let found = try #require(try streamed.json["results"]?.array?.last?["docs"]?.array?.first?["ok"]?["_attachments"]?["a\(size)"])
            #expect(found["data"]?.string == Self.text(size))
        }
    }

    @Test("A piece is at most as long as a piece of an attachment in base64")
    func pieces() async throws {
        let bridge = try await bridge(small)
        let content = try await bridge.database.unified.revision(.current, of: "a")
        var options = ReadOptions()
        options.includesAttachments = true
        var body = SegmentedBody()
        try await DocumentWriter(keyspace: bridge.database.unified, options: options, limits: small).append(content, to: &body)
        var length: Int64 = 0
        let bytesAtHand = body.bytesAtHand.count
        for try await piece in SegmentStream(segments: body.allSegments, keyspace: bridge.database.unified, chunkSize: 1000) {
            #expect(piece.readableBytes <= max(1332, bytesAtHand))
            length += Int64(piece.readableBytes)
        }
        #expect(length == body.length)
        #expect(bytesAtHand < 4000)
    }

    @Test("A feed with documents is read in small batches, and its position is that of the last row of each batch")
    func documents() async throws {
        var limits = LegacyLimits()
        limits.readBatch = 3
        let bridge = try await Bridge(limits: limits)
        for number in 0..<10 { try await bridge.push(#"{"_id":"d\#(number)","_rev":"1-x","text":\#n"line"}"#) }
        var options = ChangesOptions()
        options.includesDocuments = true
        let writer = try await ChangesWriter(keyspace: bridge.database.unified, options: options, since: .zero, limits: limits)
        var counts: [Int] = []
        while !writer.isAtEnd {
            let piece = try await writer.nextPiece(.lines)
            let lines = String(decoding: piece.bytesAtHand, as: UTF8.self).split(separator: "\n")
            counts.append(lines.count)
            let last = try JSONValue(Array(try #require(lines.last).utf8))
            #expect(writer.position.description == "\(try #require(last["seq"]?.int))")
        }
        #expect(counts == [3, 3, 3, 1])
    }
}
