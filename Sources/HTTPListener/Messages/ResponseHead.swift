import Coordination
import Foundation
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The head of a response in wire form.
struct ResponseHead {
    enum Connection {
        case keepAlive, close
        /// Upgrade to WebSocket. Clients compare the header's whole value, so it must not be a list.
        case upgrade
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var framing: ResponseFraming
    var connection: Connection
    var isHTTP10 = false

    /// Fields that the server sets, overriding the route's.
    private static let serverFields: Set<HTTPField.Name> = [
        .connection, .contentLength, .transferEncoding, .upgrade, HTTPField.Name.keepAlive,
    ]

    /// Fields that the server adds if the route has not set them. An empty value stands for no field. A route sets them to relay another server's
    /// response.
    private static let defaultFields: [HTTPField.Name] = [.server, .date]

    /// Writes the head, including the terminating empty line.
    func write(to buffer: inout ByteBuffer, serverName: String, date: String) {
        buffer.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for field in fields
        where !Self.serverFields.contains(field.name) && !(field.value.isEmpty && Self.defaultFields.contains(field.name)) {
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
        // A 426 response must name the required protocol.
        if connection != .upgrade, status == .upgradeRequired { buffer.writeField("Upgrade", "websocket") }
        for (name, value) in zip(Self.defaultFields, [serverName, date]) where fields[name] == nil {
            buffer.writeField(name.rawName, value)
        }
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

/// How the end of a response body is determined.
enum ResponseFraming: Equatable {
    /// There is no body. For HEAD, `announcedLength` is the length that the body would have.
    case none(announcedLength: Int?)
    /// The body has this many bytes.
    case length(Int)
    /// The body is chunked.
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

/// The value of the `Date` header, formatted once a second.
enum DateHeader {
    private static let cached = Lock((second: Int64(0), text: ""))

    static func now() -> String {
        let second = Int64(Date().timeIntervalSince1970)
        return cached.withLock { cached in
            if cached.second != second { cached = (second, HTTPDate.format(second)) }
            return cached.text
        }
    }
}
