import Compression
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import HTTPListener

@Suite("Compression of messages", .timeLimit(.minutes(5)))
struct MessageCompressionTests {
    private let sample = Array(String(repeating: "{\"id\":\"order::17\",\"rev\":\"1-abc\"},", count: 400).utf8)

    private func inflate(_ bytes: [UInt8]) throws -> [UInt8] {
        let inflater = try Inflater(maximumSize: 1 << 24)
        let output = try inflater.write(ByteBuffer(bytes: bytes))
        try inflater.finish()
        return Array(output.readableBytesView)
    }

    @Test(
        "Accept-Encoding is parsed as in RFC 9110",
        arguments: [
            ("gzip", true), ("gzip, deflate", true), ("deflate", false), ("", false), ("gzip;q=0", false), ("gzip; q=0.0", false),
            ("deflate, GZIP;Q=0.5", true), ("*", true), ("*;q=0", false), ("identity, *;q=0.1", true), ("gzip;q=x", false),
            ("x-gzip", true),
            ("gzipped", false), (";;,,", false),
        ])
    func accepts(value: String, expected: Bool) {
        #expect(ResponseCompression.accepts([.acceptEncoding: value]) == expected)
    }

    private func isCompressed(
        _ method: HTTPRequest.Method = .get, status: HTTPResponse.Status = .ok, type: String? = "application/json; charset=utf-8",
        encoding: String? = nil, size: Int = 5000
    ) -> Bool {
        var headers: HTTPFields = [:]
        headers[.contentType] = type
        headers[.contentEncoding] = encoding
        let response = Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 65, count: size)))
        let request = HTTPRequest(
            method: method, scheme: nil, authority: nil, path: "/", headerFields: [.acceptEncoding: "gzip, deflate"])
        let answer = ResponseCompression().apply(to: response, for: request)
        return answer.headers[.contentEncoding] == "gzip"
    }

    @Test("Responses are compressed by the rules")
    func rules() {
        #expect(isCompressed())
        #expect(isCompressed(.post))
        for method in [HTTPRequest.Method.head, .put, .delete] { #expect(!isCompressed(method)) }
        for status in [HTTPResponse.Status.notFound, .notModified, .switchingProtocols, .noContent] {
            #expect(!isCompressed(status: status))
        }
        #expect(isCompressed(status: .created))
        for type in ["text/plain", "text/html; charset=utf-8", "multipart/mixed; boundary=x", "Application/JSON"] {
            #expect(isCompressed(type: type))
        }
        for type in ["image/png", "multipart/related; boundary=x", "application/octet-stream", nil] { #expect(!isCompressed(type: type)) }
        #expect(isCompressed(size: 1000))
        #expect(!isCompressed(size: 999))
        #expect(!isCompressed(encoding: "identity"))
        #expect(!isCompressed(encoding: "br"))
    }

    @Test("A route that opts out adds no header")
    func optOut() {
        let response = Response(
            status: .ok, headers: [.contentEncoding: "identity", .contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(repeating: 65, count: 5000)))
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.acceptEncoding: "gzip"])
        let answer = ResponseCompression().apply(to: response, for: request)
        #expect(answer.headers[.contentEncoding] == nil)
        #expect(answer.body.contentLength == 5000)
    }

    /// The bytes of a chunked body.
    private func unchunk(_ answer: [UInt8]) -> [UInt8] {
        guard let start = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
        var rest = answer[start.upperBound...]
        var body: [UInt8] = []
        while let end = rest.firstRange(of: [13, 10]), let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
            size > 0
        {
            body += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return body
    }

    @Test("A compressed response is sent")
    func wire() async throws {
        let sample = sample
        try await withServer(
            limits: quickLimits,
            handler: { request, _ in
                ResponseCompression().apply(
                    to: Response(
                        status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: sample))),
                    for: request.head)
            }
        ) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, deflate\r\nConnection: close\r\n\r\n")
            let answer = try await client.bytesToEnd()
            let text = String(decoding: answer, as: UTF8.self)
            #expect(text.contains("Content-Encoding: gzip\r\n") && text.contains("Vary: Accept-Encoding\r\n"))
            #expect(!text.contains("Content-Length"))
            #expect(try inflate(unchunk(answer)) == sample)
        }
    }

    @Test("A compressed feed reaches the client row by row")
    func feed() async throws {
        let (releases, release) = AsyncStream<Void>.makeStream()
        try await withServer(
            limits: quickLimits,
            handler: { request, _ in
                let response = Response(
                    status: .ok, headers: [.contentType: "application/json"],
                    body: ResponseBody { writer in
                        for number in 0..<10 {
                            try await writer.write(contentsOf: [ByteBuffer(string: "row \(number)"), ByteBuffer(string: "\n")])
                            for await _ in releases { break }
                        }
                        try await writer.finish(nil)
                    })
                return ResponseCompression().apply(to: response, for: request.head)
            }
        ) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
            var answer: [UInt8] = []
            let inflater = try Inflater(maximumSize: 1000)
            var read = 0
            for number in 0..<10 {
                var rows = ""
                while !rows.hasSuffix("row \(number)\n"), let buffer = try await client.next() {
                    answer += buffer.readableBytesView
                    let body = unchunk(answer)
                    rows += String(buffer: try inflater.write(ByteBuffer(bytes: body[read...])))
                    read = body.count
                }
                release.yield()
            }
            answer += try await client.bytesToEnd()
            #expect(String(decoding: try inflate(unchunk(answer)), as: UTF8.self).hasSuffix("row 9\n"))
        }
    }

    /// Sends a body with an encoding to a route that returns the decoded size.
    private func post(_ body: [UInt8], encoding: String) async throws -> String {
        try await withServer(
            limits: quickLimits,
            handler: { request, _ in
                do {
                    return plain("\(try await request.decompressed(maximumSize: 1 << 20).bytes(upTo: 1 << 20).count) bytes")
                } catch let error as RequestError {
                    return error.response
                } catch {
                    return plain("\(error)", .internalServerError)
                }
            }
        ) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n")
            try await client.send(body)
            return try await client.readToEnd()
        }
    }

    @Test("A request's body is decompressed")
    func request() async throws {
        #expect(try await post(Deflater().write(sample, flush: .finish), encoding: "gzip").hasSuffix("\(sample.count) bytes"))
        #expect(try await post(sample, encoding: "identity").hasSuffix("\(sample.count) bytes"))
    }

    @Test("A compression bomb in a request gets 413, a damaged body 400, and another encoding 415")
    func badRequests() async throws {
        let bomb = try Deflater(level: 9).write([UInt8](repeating: 0, count: 100 << 20), flush: .finish)
        #expect(try await post(bomb, encoding: "gzip").hasPrefix("HTTP/1.1 413 "))
        #expect(try await post(sample, encoding: "gzip").hasPrefix("HTTP/1.1 400 "))
        #expect(try await post(Array(Deflater().write(sample, flush: .finish).dropLast(3)), encoding: "gzip").hasPrefix("HTTP/1.1 400 "))
        let deflate = try await post(sample, encoding: "deflate")
        #expect(deflate.hasPrefix("HTTP/1.1 415 "))
        #expect(deflate.hasSuffix("\"reason\":\"Unsupported Content-Encoding; use gzip\"}\n"))
    }
}
