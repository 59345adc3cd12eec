import Foundation
package import HTTPListener
package import HTTPTypes
import NIOCore

/// The header fields of a request as it is passed on: the client's, without those of the connection, and with those that describe the client.
package struct ForwardedFields: Sendable {
    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
    private static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")
    private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")
    private static let realAddress = HTTPField.Name("X-Real-IP")

    package let fields: HTTPFields

    /// - Parameters:
    ///   - request: The request. Its `Host` stays the client's, so that the old server makes the same absolute URLs as without the bridge.
    ///   - info: The connection, with the client's address as trusted proxies have named it.
    ///   - additional: Fields of the bridge. They replace the client's.
    package init(_ request: HTTPRequest, _ info: RequestInfo, additional: HTTPFields = [:]) {
        var fields = HopByHop.removed(from: request.headerFields)
        // The listener has sent the interim response.
        fields[.expect] = nil
        // Fields of clients that no trusted proxy has sent would let a client choose its address.
        for name in [Self.forwardedFor, Self.forwardedProto, Self.forwardedHost, Self.realAddress] {
            if let name { fields[name] = nil }
        }
        if let name = Self.forwardedFor, let address = info.remoteAddress?.ipAddress { fields[name] = address }
        if let name = Self.forwardedProto { fields[name] = info.isSecure ? "https" : "http" }
        if let name = Self.forwardedHost, let host = request.authority { fields[name] = host }
        for field in additional { fields[field.name] = field.value }
        self.fields = fields
    }
}

/// The header fields that concern one connection alone (RFC 9110, 7.6.1). An intermediary does not pass them on.
package enum HopByHop {
    private static let names: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    /// The fields without those of the connection, and without those that `Connection` names. Order, spelling and repetitions stay.
    package static func removed(from fields: HTTPFields) -> HTTPFields {
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }.map {
            $0.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        // A client cannot have the body's length removed: without it the next server would find another end of the request.
        let dropped = names.union(named.filter { !["content-length", "host", "content-encoding"].contains($0) })
        var kept = HTTPFields()
        for field in fields where !dropped.contains(field.name.canonicalName) { kept.append(field) }
        return kept
    }
}
