import HTTP
import Testing

@Suite("MultipartParser: framing")
struct MultipartParserTests {
    private let simple = "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nX: y\r\n\r\nbody\r\n--b--"

    @Test("Parts, headers and bodies are read as written")
    func simpleBody() throws {
        let parts = try ParsedPart.parse(simple)
        #expect(parts.map(\.text) == ["{}", "body"])
        #expect(parts[0].headers["content-type"] == "application/json")
        #expect(parts[1].headers["x"] == "y")
    }

    @Test("A body that is split into two chunks or single bytes gives the same parts")
    func everyCut() throws {
        let text = "\r\npre\r\n--b\r\nA: 1\r\n\r\n\r\n--\r\n-b\r\n--bc\r\r\n--b \t\r\n\r\n\r\n--b\r\nB: 2\r\n\r\n\r\n--b--\r\nepilogue"
        let bytes = Array(text.utf8)
        let whole = try ParsedPart.parse([bytes[...]], boundary: "b")
        #expect(whole.map(\.text) == ["\r\n--\r\n-b\r\n--bc\r", "", ""])
        for cut in 0...bytes.count {
            #expect(try ParsedPart.parse([bytes[..<cut], bytes[cut...]], boundary: "b") == whole)
        }
        #expect(try ParsedPart.parse(bytes.indices.map { bytes[$0...$0] }, boundary: "b") == whole)
    }

    @Test("CBL iOS's body begins with CRLF and ends at the closing delimiter without CRLF")
    func iOSForm() throws {
        #expect(try ParsedPart.parse("\r\n" + simple).count == 2)
    }

    @Test("CBL Java's and .NET's bodies begin with the delimiter and end with CRLF")
    func javaForm() throws {
        #expect(try ParsedPart.parse(simple + "\r\n").count == 2)
    }

    @Test("A body of the closing delimiter alone has no parts", arguments: ["--b--", "\r\n--b--", "--b--\r\n", "preamble\r\n--b--"])
    func noParts(body: String) throws {
        #expect(try ParsedPart.parse(body).isEmpty)
    }

    @Test("A part may lack headers, a body, or both")
    func emptyParts() throws {
        #expect(try ParsedPart.parse("--b\r\n\r\nx\r\n--b--").map(\.text) == ["x"])
        #expect(try ParsedPart.parse("--b\r\nA: 1\r\n\r\n\r\n--b--").map(\.text) == [""])
        #expect(try ParsedPart.parse("--b\r\n\r\n--b--").map(\.text) == [""])
        #expect(try ParsedPart.parse("--b\r\nA: 1\r\n\r\n--b--").map(\.text) == [""])
    }

    @Test("Text that is nearly a delimiter is content")
    func nearDelimiters() throws {
        let bodies = [
            "--b", "x--b--", "\r\n-b", "\n--b--\n", "\r\n--bb--", "\r\n--b-", "\r\n--b-x", "\r\n--b\r", "\r\n--b\rx",
            "\r\n--b x\r\n", "\r--b\r\n",
        ]
        for body in bodies {
            #expect(try ParsedPart.parse("--b\r\n\r\n.\(body)\r\n--b--").map(\.text) == [".\(body)"], "\(body.debugDescription)")
        }
    }

    @Test("Blanks may follow a boundary, up to a limit")
    func padding() throws {
        #expect(try ParsedPart.parse("--b \t \r\n\r\nx\r\n--b--").map(\.text) == ["x"])
        let long = "\r\n--b" + String(repeating: " ", count: 100)
        #expect(try ParsedPart.parse("--b\r\n\r\nx\(long)\r\n--b--").map(\.text) == ["x" + long])
    }

    @Test("A bare LF ends neither a delimiter's line nor a header")
    func lineFeeds() throws {
        #expect(throws: MultipartError.self) { try ParsedPart.parse("--b\n\nx\n--b--") }
        #expect(code { try ParsedPart.parse("--b\r\nA: 1\nB: 2\r\n\r\nx\r\n--b--") } == .malformedHeader)
    }

    @Test("A nested multipart body whose boundary begins with the outer one is read by a second parser")
    func nested() throws {
        let inner = "--bc\r\nContent-Type: application/json\r\n\r\n{}\r\n--bc\r\n\r\nattachment\r\n--bc--"
        let outer = "--b\r\nContent-Type: multipart/related; boundary=\"bc\"\r\n\r\n\(inner)\r\n--b--"
        let parts = try ParsedPart.parse(outer)
        #expect(parts.count == 1)
        let boundary = try MultipartBoundary(contentType: parts[0].headers.contentType)
        #expect(try ParsedPart.parse([parts[0].body[...]], boundary: boundary.text).map(\.text) == ["{}", "attachment"])
    }

    @Test("Pieces of a body share the storage of their chunk")
    func sharesStorage() throws {
        var parser = MultipartParser(boundary: try MultipartBoundary("b"))
        _ = try parser.consume(Array("--b\r\n\r\n.".utf8))
        let chunk = [UInt8](repeating: 7, count: 1000)
        let events = try parser.consume(chunk)
        #expect(events == [.partBody(chunk[...])])
        guard case .partBody(let slice)? = events.first else { return }
        #expect(slice.withUnsafeBufferPointer(\.baseAddress) == chunk.withUnsafeBufferPointer(\.baseAddress))
    }

    @Test("A body that is cut at any byte is truncated")
    func truncated() throws {
        let bytes = Array(simple.utf8)
        for end in 0..<bytes.count {
            #expect(code { try ParsedPart.parse([bytes[..<end]], boundary: "b") } == .truncated)
        }
    }

    @Test("A failed parser throws the same error again")
    func staysFailed() throws {
        var parser = MultipartParser(boundary: try MultipartBoundary("b"))
        let first = #expect(throws: MultipartError.self) { try parser.consume(Array("--b\r\nbad\r\n\r\n".utf8)) }
        let error = try #require(first)
        #expect(throws: error) { try parser.consume(Array("--b--".utf8)) }
        #expect(throws: error) { try parser.finish() }
        #expect(!parser.isFinished)
    }

    @Test("Bodies over a limit are refused, and those at the limit are accepted")
    func limits() throws {
        let limits = MultipartLimits(preambleBytes: 10, epilogueBytes: 10, parts: 2, headersPerPart: 2, headerBytesPerPart: 20)
        func parse(_ text: String) -> MultipartError.Code? { code { try ParsedPart.parse(text, limits: limits) } }
        #expect(parse("0123456789\r\n--b--") == nil)
        #expect(parse("01234567890\r\n--b--") == .preambleTooLarge)
        #expect(parse("--b--0123456789") == nil)
        #expect(parse("--b--01234567890") == .epilogueTooLarge)
        #expect(parse("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--") == nil)
        #expect(parse("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--") == .tooManyParts)
        #expect(parse("--b\r\nA: 1\r\nB: 2\r\n\r\n--b--") == nil)
        #expect(parse("--b\r\nA:1\r\nB:2\r\nC:3\r\n\r\n--b--") == .tooManyHeaders)
        #expect(parse("--b\r\nA: 0123456789012\r\n\r\n--b--") == nil)
        #expect(parse("--b\r\nA: 012345678901234\r\n\r\n--b--") == .headerTooLarge)
        #expect(parse("--b\r\nA: 01234567890123456789012345678901234567890") == .headerTooLarge)
    }

    private func error(_ body: () throws -> some Any) -> MultipartError? {
        do { _ = try body() } catch { return error as? MultipartError }
        return nil
    }

    private func code(_ body: () throws -> some Any) -> MultipartError.Code? { error(body)?.code }
}
