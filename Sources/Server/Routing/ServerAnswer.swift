import Documents
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
