import Access
import Documents
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Answers of the server itself, outside any database.
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

    /// Sync Gateway's answer to a path that it does not know.
    static var unknownURL: Response { error(.notFound, "not_found", "unknown URL") }

    static func methodNotAllowed(_ allowed: String) -> Response {
        error(.methodNotAllowed, "Method Not Allowed", "Only \(allowed) allowed", headers: [.allow: allowed])
    }

    /// `GET /`, as Sync Gateway answers it. There is no `uuid`: PouchDB would want it stable for ever
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

/// What a request is answered with that has come back to the database whose bridge has sent it.
enum LoopAnswer {
    /// The reason, which a replication's status and the gate `lag` show.
    static func response(_ database: String) -> Response {
        ServerAnswer.error(
            .init(code: 508, reasonPhrase: "Loop Detected"), "Loop Detected",
            """
            This request has come back to the database \(database) that has sent it: its old server, or that one's, is this bridge itself. \
            Correct the `remote` of its replication
            """)
    }
}

extension Request {
    /// The bridges that it has come by; `nil` for what no bridge sends.
    var trail: ViaHeader? {
        guard let name = HTTPField.Name(ViaHeader.header), let text = headers[name] else { return ViaHeader() }
        return ViaHeader(header: text)
    }
}

/// What clients of 1.x are told that are no longer served: so that they stop, and lose nothing.
///
/// 403 with `forbidden` is what all of them take as final. Couchbase Lite 1.x stops at it, as at any 4xx but 429 (.NET, iOS) and 408 (Java); PouchDB
/// goes on trying for ever unless the error's name is `unauthorized` or `forbidden`; 401 makes apps ask for a password, or log in anew, and 404 makes
/// clients forget their checkpoints and create the database (docs/protocol/legacy-1x.md#checkpoint-requests,
/// docs/protocol/legacy-1x.md#retries-of-couchbase-lite).
enum LegacyRetiredAnswer {
    static let reason = """
        This server no longer serves apps that were built with Couchbase Lite 1.x or PouchDB. Nothing on this device is lost: install the current \
        version of the app, which takes the device's documents along.
        """

    static func response(to request: Request, _ target: RequestTarget) -> Response {
        ServerAnswer.error(isOfOneDocument(request, target) ? .badRequest : .forbidden, "forbidden", reason)
    }

    /// 403, 404 and 410 for one revision make a pull that is under way pass over it for good; 400 does not.
    private static func isOfOneDocument(_ request: Request, _ target: RequestTarget) -> Bool {
        guard request.method == .get || request.method == .head, target.segments.count >= 2 else { return false }
        return !target.segments[1].value.hasPrefix("_") && !target.segments[1].value.isEmpty
    }
}
