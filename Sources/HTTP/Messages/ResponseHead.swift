import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// The head of an answer, as it is written.
struct ResponseHead {
    enum Connection {
        case keepAlive, close
        /// To WebSocket. Clients compare the header's whole value, so it must not be a list.
        case upgrade
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var framing: ResponseFraming
    var connection: Connection
    var isHTTP10 = false

    /// Fields that the server decides on, whatever the route says.
    private static let ours: Set<HTTPField.Name> = [
        .connection, .contentLength, .transferEncoding, .server, .date, .upgrade, HTTPField.Name.keepAlive,
    ]

    /// Writes the head with the empty line that ends it.
    func write(to buffer: inout ByteBuffer, serverName: String, date: String) {
        buffer.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for field in fields where !Self.ours.contains(field.name) {
            buffer.writeField(field.name.rawName, field.value)
        }
        switch framing {
        case .none(let length?), .length(let length): buffer.writeField("Content-Length", String(length))
        case .chunked: buffer.writeField("Transfer-Encoding", "chunked")
        case .none(nil), .untilClose: break
        }
        switch connection {
        case .keepAlive: if isHTTP10 { buffer.writeField("Connection", "keep-alive") }
        case .close: buffer.writeField("Connection", "close")
        case .upgrade:
            buffer.writeField("Connection", "Upgrade")
            buffer.writeField("Upgrade", "websocket")
        }
        // A route that refuses everything but WebSocket says so.
        if connection != .upgrade, status == .upgradeRequired { buffer.writeField("Upgrade", "websocket") }
        buffer.writeField("Server", serverName)
        buffer.writeField("Date", date)
        buffer.writeStaticString("\r\n")
    }
}

extension HTTPField.Name {
    fileprivate static let keepAlive = HTTPField.Name("Keep-Alive") ?? .connection
}

extension ByteBuffer {
    fileprivate mutating func writeField(_ name: String, _ value: String) {
        writeString(name)
        writeStaticString(": ")
        writeString(value)
        writeStaticString("\r\n")
    }
}

/// How the end of an answer's body is told.
enum ResponseFraming: Equatable {
    /// There is no body; the length that the body would have, for HEAD.
    case none(announcedLength: Int?)
    /// The body has this many bytes.
    case length(Int)
    /// The body comes in chunks.
    case chunked
    /// The body ends with the connection, for HTTP/1.0.
    case untilClose

    init(of response: Response, to method: HTTPRequest.Method, isHTTP10: Bool) {
        let length = response.body.contentLength
        let announced = response.headers[.contentLength].flatMap { Int($0) } ?? length
        switch response.status.code {
        case 100..<200, 204: self = .none(announcedLength: nil)
        case 304: self = .none(announcedLength: nil)
        case _ where method == .head: self = .none(announcedLength: announced)
        case _:
            if let length = length ?? announced {
                self = .length(length)
            } else {
                self = isHTTP10 ? .untilClose : .chunked
            }
        }
    }
}

/// The `Date` header's value, made once a second.
enum DateHeader {
    private static let cached = Mutex((second: Int64(0), text: ""))

    static func now() -> String {
        let second = Int64(Date().timeIntervalSince1970)
        return cached.withLock { cached in
            if cached.second != second { cached = (second, HTTPDate.format(second)) }
            return cached.text
        }
    }
}
