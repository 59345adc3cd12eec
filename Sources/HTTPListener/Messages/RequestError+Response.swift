import HTTP
import HTTPTypes
package import HummingbirdCore
import NIOCore

extension RequestError {
    /// The response: the status, and a JSON body `{"error": <status text>, "reason": <reason>}` like Sync Gateway's.
    package var response: Response {
        var body = ByteBuffer()
        body.writeString("{\"error\":")
        body.writeJSON(string: code.status.namedByGo)
        body.writeString(",\"reason\":")
        body.writeJSON(string: reason)
        body.writeString("}\n")
        return Response(
            status: code.status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
    }
}

extension ByteBuffer {
    /// Writes a string as a JSON string.
    fileprivate mutating func writeJSON(string: String) {
        writeInteger(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": writeStaticString("\\\"")
            case "\\": writeStaticString("\\\\")
            case "\n": writeStaticString("\\n")
            case "\r": writeStaticString("\\r")
            case "\t": writeStaticString("\\t")
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                writeString("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: writeString(String(scalar))
            }
        }
        writeInteger(UInt8(ascii: "\""))
    }
}
