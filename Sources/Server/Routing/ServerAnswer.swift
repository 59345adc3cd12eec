import Authentication
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Replies of the server itself, outside any database.
enum ServerAnswer {
    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func error(_ status: HTTPResponse.Status, _ error: String, _ reason: String, headers: HTTPFields = [:]) -> Response {
        var bytes = Array(#"{"error":"#.utf8)
        JSONWriter.append(error, to: &bytes)
        bytes += Array(#","reason":"#.utf8)
        JSONWriter.append(reason, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return json(status, bytes, headers: headers)
    }

    /// The reply while a database's store cannot be used.
    static func unavailable(_ reason: String) -> Response {
        error(.serviceUnavailable, "Service Unavailable", reason, headers: [.retryAfter: "5"])
    }

    /// Sync Gateway's reply to an unknown path.
    static var unknownURL: Response { error(.notFound, "not_found", "unknown URL") }

    /// The reply to `GET /`, in Sync Gateway's form. It has no `uuid`, which would have to stay stable for PouchDB
    /// (docs/protocol/legacy-1x.md#database-identity).
    static func welcome(serverName: String, isAdmin: Bool) -> Response {
        var bytes = Array(#"{"couchdb":"Welcome","#.utf8)
        if isAdmin { bytes += Array(#""ADMIN":true,"#.utf8) }
        bytes += Array(#""vendor":{"name":"Couchbase Sync Gateway","version":"3.2"},"version":"#.utf8)
        JSONWriter.append(serverName, to: &bytes)
        bytes += Array("}\n".utf8)
        return json(.ok, bytes)
    }

    static func names(_ names: [String]) -> Response {
        var bytes = Array("[".utf8)
        for (index, name) in names.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(name, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return json(.ok, bytes)
    }
}

/// The reply to a request that has come back to the bridge and database that sent it.
enum LoopAnswer {
    /// The reply. A replication's status and the gate `lag` show its reason.
    static func response(_ database: String) -> Response {
        ServerAnswer.error(
            .init(code: 508, reasonPhrase: "Loop Detected"), "Loop Detected",
            """
            This request has come back to the database \(database), which sent it: its old server, directly or through others, is this bridge. \
            Correct the `remote` of its replication
            """)
    }
}

extension Request {
    /// The bridges that have forwarded the request; `nil` if the header is malformed.
    var trail: ViaHeader? {
        guard let name = HTTPField.Name(ViaHeader.header), let text = headers[name] else { return ViaHeader() }
        return ViaHeader(header: text)
    }
}

/// The reply to 1.x clients once they are not served, which makes them stop without losing data.
///
/// All of them treat 403 with `forbidden` as final. Couchbase Lite 1.x stops at it, as at any 4xx except 429 (.NET, iOS) and 408 (Java).
/// PouchDB retries forever unless the error's name is `unauthorized` or `forbidden`. 401 makes apps ask for a password or log in again. 404
/// makes clients delete their checkpoints and create the database (docs/protocol/legacy-1x.md#checkpoint-requests,
/// docs/protocol/legacy-1x.md#retries-of-couchbase-lite).
enum LegacyRetiredAnswer {
    static let reason = """
        This server no longer serves apps that were built with Couchbase Lite 1.x or PouchDB. Nothing on this device is lost: install the current \
        version of the app, which takes the device's documents along.
        """

    static func response(to request: Request, _ target: RequestTarget) -> Response {
        ServerAnswer.error(isOfOneDocument(request, target) ? .badRequest : .forbidden, "forbidden", reason)
    }

    /// Whether the request is for one document. A running pull skips a revision for good at 403, 404 and 410, but not at 400.
    private static func isOfOneDocument(_ request: Request, _ target: RequestTarget) -> Bool {
        guard request.method == .get || request.method == .head, target.segments.count >= 2 else { return false }
        return !target.segments[1].value.hasPrefix("_") && !target.segments[1].value.isEmpty
    }
}
