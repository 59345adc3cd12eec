import NIOCore

/// What arrives on a server's connection, in order.
enum RequestPart: Sendable {
    case head(RequestHead)
    case body(ByteBuffer)
    case end
    /// The client broke the rules or took too long: what came before is still served, then this is answered and the connection ends.
    case failure(RequestError)

    var size: Int {
        switch self {
        case .head: 512
        case .body(let buffer): buffer.readableBytes
        case .end, .failure: 64
        }
    }
}
