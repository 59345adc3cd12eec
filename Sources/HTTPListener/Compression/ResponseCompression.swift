import Compression
import HTTP
package import HTTPTypes
package import HummingbirdCore
import NIOCore

/// Decides which responses are compressed, and compresses them. Only gzip, because some 1.x clients offer `deflate` and cannot read it.
package struct ResponseCompression: Sendable {
    /// Responses with a known size below this number of bytes are not compressed.
    package var minimumSize: Int
    /// The zlib level, 1 (fast) to 9 (small).
    package var level: Int

    package init(minimumSize: Int = 1000, level: Int = 6) {
        self.minimumSize = minimumSize
        self.level = level
    }

    /// The response to send: compressed if the client accepts gzip and compression is worthwhile.
    ///
    /// - Never compressed: responses to HEAD, PUT and DELETE, partial bodies (206), statuses from 300 on, WebSockets.
    /// - Only JSON, text and multipart/mixed are compressed.
    /// - A route opts out with `Content-Encoding: identity`, which is removed here, and forces compression with ``compressed(_:)``.
    package func apply(to response: Response, for request: HTTPRequest) -> Response {
        var response = response
        if response.headers[.contentEncoding]?.lowercased() == "identity" {
            response.headers[.contentEncoding] = nil
            return response
        }
        guard isWorthwhile(response, for: request) else { return response }
        response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
        return Self.accepts(request.headerFields) ? compressed(response) : response
    }

    /// The response compressed, regardless of the request.
    ///
    /// A body of known length is compressed as a whole. In other bodies, for example feeds, each `write` is flushed to the client immediately.
    package func compressed(_ response: Response) -> Response {
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

    /// Whether a client accepts gzip: RFC 9110 12.5.3.
    package static func accepts(_ headers: HTTPFields) -> Bool {
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

/// Compresses all bytes written through it.
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
