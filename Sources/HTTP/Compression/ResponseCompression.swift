import Compression
public import HTTPTypes
public import HummingbirdCore
import NIOCore

/// Decides which answers are compressed, and compresses them: gzip only, since some 1.x clients offer `deflate` and cannot read it.
public struct ResponseCompression: Sendable {
    /// Answers of fewer bytes than this are left alone, where the size is known.
    public var minimumSize: Int
    /// zlib's level, 1 (fast) to 9 (small).
    public var level: Int

    public init(minimumSize: Int = 1000, level: Int = 6) {
        self.minimumSize = minimumSize
        self.level = level
    }

    /// The answer as it is sent: compressed when the client takes gzip and it is worth it.
    ///
    /// Never for HEAD, PUT and DELETE, for parts of a body (206), for statuses from 300 on and for WebSockets; only for JSON, text and multipart/mixed. A route opts out with
    /// `Content-Encoding: identity`, which is taken off here, and forces compression by ``compressed(_:)``.
    public func apply(to response: Response, for request: HTTPRequest) -> Response {
        var response = response
        if response.headers[.contentEncoding]?.lowercased() == "identity" {
            response.headers[.contentEncoding] = nil
            return response
        }
        guard isWorthwhile(response, for: request) else { return response }
        response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
        return Self.accepts(request.headerFields) ? compressed(response) : response
    }

    /// The answer compressed, whoever asks.
    ///
    /// A body of known length is compressed as a whole. Of other bodies, feeds for example, each `write` reaches the client at once.
    public func compressed(_ response: Response) -> Response {
        var response = response
        let body = response.body
        let isStreaming = body.contentLength == nil
        let level = level
        response.headers[.contentEncoding] = "gzip"
        response.body = ResponseBody { writer in
            try await body.write(CompressingWriter(parent: writer, deflater: try Deflater(level: level), isStreaming: isStreaming))
        }
        response.headers[.contentLength] = nil
        return response
    }

    /// Whether a client takes gzip: RFC 9110 12.5.3.
    public static func accepts(_ headers: HTTPFields) -> Bool {
        var wildcard = false
        for element in headers[values: .acceptEncoding].joined(separator: ",").lowercased().split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch parts.first {
            case "gzip", "x-gzip": return quality > 0
            case "*": wildcard = quality > 0
            default: break
            }
        }
        return wildcard
    }

    private func isWorthwhile(_ response: Response, for request: HTTPRequest) -> Bool {
        switch request.method {
        case .head, .put, .delete: return false
        default: break
        }
        guard (200..<300).contains(response.status.code), response.status != .noContent, response.status != .partialContent,
            response.headers[.contentEncoding] == nil,
            (response.body.contentLength ?? .max) >= minimumSize
        else { return false }
        let type = response.headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
        return type == "application/json" || type.hasPrefix("text/") || type == "multipart/mixed"
    }
}

/// Compresses what is written through it.
private struct CompressingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    let deflater: Deflater
    let isStreaming: Bool

    mutating func write(_ buffer: ByteBuffer) async throws {
        try await pass(deflater.write(buffer, flush: isStreaming ? .sync : .none))
    }

    mutating func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
        for buffer in buffers { try await pass(deflater.write(buffer, flush: .none)) }
        if isStreaming { try await pass(deflater.write(ByteBuffer(), flush: .sync)) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await parent.write(deflater.write(ByteBuffer(), flush: .finish))
        try await parent.finish(trailingHeaders)
    }

    private mutating func pass(_ bytes: ByteBuffer) async throws {
        if bytes.readableBytes > 0 { try await parent.write(bytes) }
    }
}
