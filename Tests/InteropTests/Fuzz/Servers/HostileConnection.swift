import Crypto
import Foundation
import TestSupport

/// One connection of the bridge to a hostile server.
struct HostileConnection {
    /// How the server treats a request.
    private enum Behaviour: CaseIterable {
        case right, extreme, boundaries, damaged, framing, slow, silent, endless, cut, page
    }

    private struct Request {
        var method = ""
        var path = ""
        var head = ""
    }

    let socket: FuzzSocket
    var maker: Maker
    private let server: HostileServer
    private var unread: [UInt8] = []

    /// Connections of servers use other random numbers than conversations.
    private static let firstNumber = 1 << 40

    init(_ socket: FuzzSocket, _ number: Int, of server: HostileServer) {
        self.socket = socket
        self.server = server
        maker = Maker(random: FuzzSettings.random(Self.firstNumber + number))
        for remote in server.remotes + server.ofTokens { maker.knowledge.learn(.remote, remote) }
    }

    var isEnded: Bool { server.isEnded }

    /// Replies to requests until one side ends the connection.
    mutating func play() {
        for _ in 0..<200 {
            guard !isEnded, let request = receive() else { return }
            let behaviour = maker.random.once(in: 2) ? .right : maker.random.pick(Behaviour.allCases)
            if let key = RawAnswer.header("Sec-WebSocket-Key", of: request.head), behaviour != .silent, behaviour != .page {
                return upgrade(request.path, key, RawAnswer.header("Sec-WebSocket-Protocol", of: request.head))
            }
            guard answer(request, behaviour) else { return }
        }
    }

    // MARK: Requests

    /// The next request; its body is read and discarded.
    private mutating func receive() -> Request? {
        guard let end = fill(until: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeFirst(end)
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count > 1 else { return nil }
        if let length = RawAnswer.header("Content-Length", of: head).flatMap({ Int($0) }) {
            while unread.count < length { guard fill() else { return nil } }
            unread.removeFirst(length)
        } else if RawAnswer.header("Transfer-Encoding", of: head) != nil {
            guard let end = fill(until: Array("\r\n0\r\n\r\n".utf8)) else { return nil }
            unread.removeFirst(end)
        }
        return Request(method: String(words[0]), path: String(words[1].prefix { $0 != "?" }), head: head)
    }

    private mutating func fill(until mark: [UInt8]) -> Int? {
        while true {
            if let range = unread.firstRange(of: mark) { return range.upperBound }
            guard unread.count < 32 << 20, fill() else { return nil }
        }
    }

    /// Waits for bytes while the connection and the server exist.
    private mutating func fill() -> Bool {
        while !isEnded {
            switch socket.receive(milliseconds: 200) {
            case .bytes(let bytes):
                unread += bytes
                return true
            case .end: return false
            case .nothing: continue
            }
        }
        return false
    }

    // MARK: Answers

    /// - Returns: Whether the connection can be used again.
    private mutating func answer(_ request: Request, _ behaviour: Behaviour) -> Bool {
        maker.isExtreme = behaviour == .extreme
        maker.wildness = behaviour == .boundaries ? maker.random.pick([30, 12, 5]) : 0
        let shape = ServerShape.of(request.method, request.path)
        var body: [UInt8] = []
        if behaviour == .page { body = Array("<html><body>Sign in</body></html>".utf8) } else { maker.json(shape.body, to: &body) }
        if behaviour == .damaged { maker.damage(&body) }
        if request.method == "HEAD" { body = [] }
        var status = shape.status
        if behaviour == .page || maker.random.once(in: 8) {
            status = maker.random.pick([200, 201, 204, 301, 302, 304, 400, 401, 403, 404, 409, 412, 429, 500, 502, 503, 999, 100, 0])
        }
        var head = "HTTP/1.1 \(status) X\r\nContent-Type: \(behaviour == .page ? "text/html" : "application/json")\r\n"
        for (name, term) in Array(shape.headers) + Array(Self.headers) where maker.random.once(in: 4) {
            let value = String(decoding: maker.text(term).filter { $0 >= 0x20 && $0 != 0x7f }, as: UTF8.self)
            head += "\(name): \(value)\r\n"
        }
        let framing = behaviour == .framing ? maker.random.pick(Framing.allCases) : maker.random.pick([.length, .chunks])
        let bytes = Array(head.utf8) + framing.rest(of: body)
        switch behaviour {
        case .slow: return drip(bytes)
        case .silent:
            _ = fill()
            return false
        case .endless:
            endless(head)
            return false
        case .cut:
            socket.send(Array(bytes.prefix(maker.random.number(0...bytes.count))))
            return false
        default:
            socket.send(bytes)
            return framing.isRight
        }
    }

    private static let headers: KeyValuePairs<String, Term> = [
        "Server": .choice(["Couchbase Sync Gateway/2.8.4", "CouchDB/3.4.2 (Erlang OTP/25)", "x"]), "Retry-After": .number,
        "Location": .known(.remote), "WWW-Authenticate": .choice(["Basic realm=\"x\"", "Bearer", ""]),
        "Cache-Control": .choice(["max-age=99999999999999999999"]),
        "Content-Encoding": .choice(["identity"]), "Set-Cookie": .choice(["a=b; Expires=Thu, 01 Jan 99999 00:00:00 GMT", ";"]),
        "Date": .choice(["Thu, 01 Jan 1970 00:00:00 GMT", "x"]), "Connection": .choice(["keep-alive"]),
    ]

    /// A few bytes at a time, for about two seconds.
    private mutating func drip(_ bytes: [UInt8]) -> Bool {
        let piece = max(1, bytes.count / 40)
        var rest = bytes[...]
        while !rest.isEmpty, !isEnded {
            socket.send(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            if case .end = socket.receive(milliseconds: 50) { return false }
        }
        return true
    }

    /// An endless body: of text, of rows, of an open array.
    private mutating func endless(_ head: String) {
        var piece: [UInt8] = []
        switch maker.random.number(0...3) {
        case 0: piece = [UInt8](repeating: 0x20, count: 65_536)
        case 1: piece = [UInt8](repeating: 0x5b, count: 65_536)
        case 2: while piece.count < 65_536 { maker.json(ServerShape.row, to: &piece); piece.append(0x0a) }
        default: piece = Array(#"{"results":[{"seq":1,"id":""#.utf8) + [UInt8](repeating: 0x61, count: 65_536)
        }
        socket.send(Array("\(head)\r\n".utf8))
        for _ in 0..<maker.random.pick([10, 100, 1_500]) where !isEnded {
            guard socket.send(piece) else { return }
        }
    }

    // MARK: WebSockets

    private mutating func upgrade(_ path: String, _ key: String, _ offered: String?) {
        let digest = Insecure.SHA1.hash(data: Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        let accept = maker.random.once(in: 30) ? RawWebSocket.accept : Data(digest).base64EncodedString()
        var head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"
        if let offered {
            let names = offered.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            let chosen = maker.random.once(in: 20) ? "BLIP_3+CBMobile_9" : maker.random.pick(names.isEmpty ? [""] : names)
            head += "Sec-WebSocket-Protocol: \(chosen)\r\n"
        }
        socket.send(Array("\(head)\r\n".utf8))
        maker.isMasked = false
        if offered == nil { playFeed() } else { playMessages() }
    }

    /// Rows of the 1.x feed over a WebSocket.
    private mutating func playFeed() {
        for _ in 0..<maker.random.number(1...20) where !isEnded {
            maker.wildness = maker.random.pick([0, 0, 20, 8])
            var rows: [UInt8] = []
            maker.json(.array(ServerShape.row), to: &rows)
            socket.send(maker.random.once(in: 6) ? maker.brokenFrames(of: [rows]) : maker.frame(0x81, rows))
            if case .end = socket.receive(milliseconds: 30) { return }
        }
        _ = fill()
    }

    /// A WebSocket over this connection, with the bytes behind the upgrade.
    mutating func webSocket() -> FuzzWebSocket {
        defer { unread = [] }
        return FuzzWebSocket(socket, unread: unread, isServer: true)
    }
}
