import Compression
import HTTP
import TestSupport

extension Maker {
    mutating func setBody(of request: inout FuzzRequest) {
        let takesBody = ["POST", "PUT"].contains(request.method)
        guard takesBody || random.once(in: 20) else { return }
        var type = "application/json"
        switch request.route.shape.body {
        case .none: if random.once(in: 2) { request.body = Array("{}".utf8) }
        case .json(let shape): json(shape, to: &request.body)
        case .bytes:
            type = "text/plain"
            request.body = random.once(in: 3) ? random.pick(Boundaries.texts) : Array("hello".utf8)
        case .script:
            type = "application/javascript"
            request.body = text(.choice(RequestShape.functions))
        case .document:
            json(.document, to: &request.body)
            if random.once(in: 5) {
                request.body = related(request.body)
                type = "multipart/related; boundary=b"
            }
        }
        if isWild() { damage(&request.body) }
        compress(&request)
        request.headers.append(("Content-Type", Array(type.utf8)))
    }

    /// A document and a part, as Couchbase Lite 1.x sends attachments.
    private mutating func related(_ json: [UInt8]) -> [UInt8] {
        let breaks = isWild() ? random.pick(["\n", "\r", "\r\n\r\n", ""]) : "\r\n"
        let heads = [
            "Content-Disposition: attachment; filename=\"photo\"", "Content-ID: photo", "Content-Length: 99999999999999999999",
            "Content-Encoding: gzip", "A",
            "Content-Disposition: attachment; filename=\"../x\"", String(repeating: "A: b\r\n", count: 80),
        ]
        var bytes = Array("--b\(breaks)Content-Type: application/json\(breaks)\(breaks)".utf8) + json
        for _ in 0..<random.number(0...2) {
            bytes += Array("\(breaks)--b\(breaks)\(isWild() ? random.pick(heads) : heads[0])\(breaks)\(breaks)".utf8)
            bytes += isWild() ? random.pick(Boundaries.texts) : Array("hello".utf8)
        }
        return bytes + Array("\(breaks)\(isWild() ? random.pick(["--b", "--b-", "-", ""]) : "--b--")".utf8)
    }

    /// Damages bytes as a bad connection, disk or program would.
    mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0..<random.number(1...3) {
            let place = random.number(0...bytes.count)
            let end = min(bytes.count, place + random.number(0...12))
            switch random.number(0...5) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.number(0...7))
            case 1: bytes.insert(UInt8(random.number(0...255)), at: place)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.insert(contentsOf: random.pick(Boundaries.texts).prefix(300), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
    }

    /// Compresses a body, validly or not, and returns the encoding's name.
    private mutating func compress(_ request: inout FuzzRequest) {
        guard random.once(in: 10), let deflater = try? Deflater() else { return }
        var encoding = "gzip"
        // A bomb: its content has a thousand times the sent size.
        let bomb = [UInt8](repeating: 0x20, count: 3_000_000)
        request.body = deflater.write(isWild() && random.once(in: 6) ? bomb + request.body : request.body, flush: .finish)
        if isWild() {
            switch random.number(0...4) {
            case 0: request.body.removeLast(min(9, request.body.count))
            case 1: damage(&request.body)
            case 2: request.body += [1, 2, 3]
            case 3: request.body = Array("{}".utf8)
            default: encoding = random.pick(["br", "gzip, gzip", "deflate", "GZIP", "x-gzip", "identity", "", "gzip;q=1"])
            }
        }
        request.headers.append(("Content-Encoding", Array(encoding.utf8)))
    }
}
