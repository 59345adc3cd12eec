import HTTPTypes
import HummingbirdCore

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
