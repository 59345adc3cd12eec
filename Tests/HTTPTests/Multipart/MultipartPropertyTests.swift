import HTTP
import TestSupport
import Testing

@Suite("Multipart: properties")
struct MultipartPropertyTests {
    /// The bytes of delimiters, so that bodies contain many partial delimiters.
    private static let awkward = Array("\r\n--bX \t-".utf8)

    @Test("Random documents that are split anywhere parse to the written parts", arguments: 0..<40)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let boundary = Bool.random(using: &random) ? MultipartBoundary.random(using: &random) : try MultipartBoundary("bXbX-b")
            let parts = Self.parts(avoiding: boundary, &random)
            var writer = MultipartWriter(boundary: boundary, beginsWithLineBreak: Bool.random(using: &random))
            let length = writer.length(of: parts.map { ($0.headers, Int64($0.body.count)) })
            var bytes: [UInt8] = []
            for part in parts {
                writer.beginPart(part.headers, to: &bytes)
                bytes += part.body
            }
            writer.finish(to: &bytes)
            #expect(Int64(bytes.count) == length)
            #expect(try ParsedPart.parse(random.cut(bytes), boundary: boundary.text) == parts)
        }
    }

    @Test("Random bytes never crash the parser, and give the same result however they are split", arguments: 0..<40)
    func hostileBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: 1000 + seed)
        let alphabet = Array("\r\n\r\n--bb: x;=\"\\".utf8)
        for _ in 0..<50 {
            let noise = random.bytes(Int.random(in: 0...400, using: &random), alphabet: Bool.random(using: &random) ? alphabet : nil)
            let bytes = (Bool.random(using: &random) ? Array("--b\r\n".utf8) : []) + noise
            let whole = Result { try ParsedPart.parse([bytes[...]], boundary: "b") }
            let cut = Result { try ParsedPart.parse(random.cut(bytes), boundary: "b") }
            #expect(try Self.outcome(whole) == Self.outcome(cut))
        }
    }

    @Test("A long body is passed on at once, and never grows")
    func keepsNothing() throws {
        var random = SeededGenerator(seed: 7)
        var parser = MultipartParser(boundary: try MultipartBoundary("bXbX"))
        _ = try parser.consume(Array("--bXbX\r\n\r\n.".utf8))
        var consumed = 0
        var emitted = 0
        for _ in 0..<2000 {
            let chunk = random.bytes(200, alphabet: Self.awkward)
            consumed += chunk.count
            for event in try parser.consume(chunk) {
                if case .partBody(let bytes) = event { emitted += bytes.count }
            }
            #expect(consumed - emitted < 80)
        }
    }

    private static func parts(avoiding boundary: MultipartBoundary, _ random: inout SeededGenerator) -> [ParsedPart] {
        (0..<Int.random(in: 0...6, using: &random)).map { number in
            var headers = PartHeaders()
            headers.append("Content-Type", ["application/json", "text/plain; charset=utf-8"].randomElement(using: &random) ?? "")
            if Bool.random(using: &random) { headers.append("X-Number", "\(number) é") }
            var body: [UInt8] = []
            repeat {
                let length = Int.random(in: 0...[0, 5, 50, 2000][Int.random(in: 0..<4, using: &random)], using: &random)
                body = random.bytes(length, alphabet: Bool.random(using: &random) ? awkward : nil)
            } while contains(boundary, in: body)
            return ParsedPart(headers: headers, body: body)
        }
    }

    private static func contains(_ boundary: MultipartBoundary, in body: [UInt8]) -> Bool {
        let needle = Array("--\(boundary.text)".utf8)
        return body.indices.contains { body[$0...].starts(with: needle) }
    }

    private enum Outcome: Equatable {
        case parts([ParsedPart])
        case error(MultipartError)
    }

    private static func outcome(_ result: Result<[ParsedPart], any Error>) throws -> Outcome {
        switch result {
        case .success(let parts): return .parts(parts)
        case .failure(let error as MultipartError): return .error(error)
        case .failure(let error): throw error
        }
    }
}
