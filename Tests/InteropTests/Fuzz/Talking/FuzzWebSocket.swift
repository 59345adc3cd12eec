import BridgeConfiguration
import Server

/// A WebSocket with a thread of its own, and with strict checks of received frames.
struct FuzzWebSocket {
    enum Reading {
        case frame(RawWebSocket.Frame)
        case end
        case silence
        case broken(String)
    }

    let socket: FuzzSocket
    private var unread: [UInt8]

    /// Whether this is the server's side, which gets masked frames.
    private let isServer: Bool

    /// Owns a connection whose other side has agreed.
    init(_ socket: FuzzSocket, unread: [UInt8], isServer: Bool = false) {
        self.socket = socket
        self.unread = unread
        self.isServer = isServer
    }

    mutating func next(milliseconds: Int) -> Reading {
        while true {
            switch Self.frame(unread, isMasked: isServer) {
            case .frame(let frame, let length)?:
                unread.removeFirst(length)
                return .frame(frame)
            case .broken(let why)?: return .broken(why)
            case nil: break
            }
            switch socket.receive(milliseconds: milliseconds) {
            case .bytes(let bytes): unread += bytes
            case .end: return .end
            case .nothing: return .silence
            }
        }
    }

    private enum Parsed {
        case frame(RawWebSocket.Frame, length: Int)
        case broken(String)
    }

    /// The first frame of some bytes; `nil` if it is incomplete.
    private static func frame(_ bytes: [UInt8], isMasked: Bool) -> Parsed? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[0] & 0x70 == 0, [0, 1, 2, 8, 9, 10].contains(bytes[0] & 0x0f), (bytes[1] & 0x80 != 0) == isMasked else {
            return .broken("a frame that begins with \(bytes[0]), \(bytes[1])")
        }
        var (length, head) = (Int(bytes[1] & 0x7f), 2)
        if length > 125 {
            head = length == 126 ? 4 : 10
            guard bytes.count >= head else { return nil }
            length = bytes[2..<head].reduce(0) { $0 << 8 | Int($1) }
            guard 0...(64 << 20) ~= length else { return .broken("a frame of \(length) bytes") }
        }
        let mask = isMasked ? Array(bytes[min(head, bytes.count)...].prefix(4)) : []
        if isMasked { head += 4 }
        guard bytes.count >= head + length else { return nil }
        let payload = bytes[head..<(head + length)]
        return .frame(
            RawWebSocket.Frame(
                opcode: bytes[0] & 0x0f, payload: isMasked ? payload.enumerated().map { $1 ^ mask[$0 & 3] } : Array(payload)),
            length: head + length)
    }
}

extension FuzzConversation {
    /// Requests a WebSocket.
    ///
    /// - Returns: `nil` if the upgrade or the caller is refused.
    mutating func open(_ path: String, subprotocols: String, in database: String) throws -> FuzzWebSocket? {
        let socket = try connect()
        let headers = caller.headers(in: database).map { "\($0.key): \($0.value)\r\n" }.joined()
        let request = Array(RawWebSocket.request(path, subprotocols: subprotocols, headers: headers).utf8)
        socket.send(request)
        sent += 1
        var reader = FuzzAnswerReader(socket)
        switch reader.next(isToHead: false, isExpected: true) {
        case .answer(let answer):
            count(answer.status)
            guard answer.status == 101 else {
                guard AnswerModel.statuses.contains(answer.status) || answer.status == 500 else {
                    throw FuzzFault("the status \(answer.status)", sent: request, answered: answer.text)
                }
                return nil
            }
            // On the admin port it can write documents, so lesser roles may not open one.
            let isAllowed = !caller.isShutOut && (caller.port == .public || caller.role == .administrator || !path.contains("_blipsync"))
            guard isAllowed else { throw FuzzFault("\(caller.name) gets a WebSocket", sent: request, answered: answer.text) }
            return FuzzWebSocket(socket, unread: reader.rest())
        case .end: throw FuzzFault("the connection ended without an answer", sent: request)
        case .silence: throw FuzzFault("no answer within \(FuzzSettings.timeout) s", sent: request)
        case .broken(let why): throw FuzzFault("no well-formed answer: \(why)", sent: request)
        }
    }
}
