import BridgeConfiguration
import Documents
import HTTP
import TestSupport

@testable import Server

extension Maker {
    /// Creates a request of a route for one of its caller's databases.
    mutating func request(_ route: FuzzRoute, by caller: FuzzCaller) -> FuzzRequest {
        isExtreme = random.once(in: 5)
        wildness = isExtreme ? 0 : random.pick([0, 0, 40, 25, 12, 6])
        var request = FuzzRequest(route: route, method: route.method)
        // A few requests have an unusual method.
        if wildness > 0, wildness < 40, random.once(in: 12) {
            request.method = random.pick([
                "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "PROPFIND", "X", "PRI",
            ])
            request.isPlain = false
        }
        setTarget(of: &request, caller)
        setBody(of: &request)
        addHeaders(to: &request, caller)
        if wildness > 0, random.once(in: 8) { request.framing = random.pick(Framing.allCases) }
        return request
    }

    // MARK: The target

    private mutating func setTarget(of request: inout FuzzRequest, _ caller: FuzzCaller) {
        let route = request.route
        var segments: [[UInt8]] = []
        let hasTrick = isWild() && (isWild() || random.once(in: 3))
        if hasTrick { request.isPlain = false }
        if route.place != .server {
            // Documents of administrators would be shown to others in another channel; and a modified path could turn a harmless request into a
            // dangerous one.
            let isGrave = caller.port == .admin && (!["GET", "HEAD"].contains(request.method) || !request.isPlain)
            let name = isGrave ? grave(route) : random.pick(caller.databases)
            request.database = name
            let collection =
                route.place == .keyspace && random.once(in: 4)
                ? random.pick([".sales.orders", "._default._default", ".orders", ".x.y"]) : ""
            segments.append(Array((name + collection).utf8))
        }
        for segment in route.path {
            switch segment {
            case .exactly(let text): segments.append(Array(text.utf8))
            case .open(let term):
                let value = text(term)
                segments.append(value.isEmpty ? Array("x".utf8) : encoded(value, keeps: Array("/".utf8)))
                // A slash, a question mark, or a leading underscore changes the route.
                if value.contains(0x2f) || value.contains(0x3f) || value.first == 0x5f || value.isEmpty
                    || String(validating: value, as: UTF8.self) == nil
                {
                    request.isPlain = false
                }
            }
        }
        if hasTrick {
            let place = random.number(min(1, segments.count)...segments.count)
            let trick = Array(random.pick(Boundaries.segments).utf8)
            if random.once(in: 2), place < segments.count { segments[place] = trick } else { segments.insert(trick, at: place) }
        }
        request.target = [0x2f] + segments.joined(separator: [0x2f])
        if route.place != .server, segments.count == 1 { request.target.append(0x2f) }
        addQuery(to: &request)
        if isWild(), random.once(in: 4) {
            request.isPlain = false
            let path = String(decoding: request.target, as: UTF8.self)
            request.target = Array(
                random.pick([
                    "http://127.0.0.1\(path)", "/\(path)", "//127.0.0.1\(path)", "*", "\(path)#x", "\(path) x", "",
                    "http://[::1]:99999\(path)",
                ]).utf8)
        }
    }

    /// Requests with effects on other conversations.
    private mutating func grave(_ route: FuzzRoute) -> String {
        if case .exactly("_cutover")? = route.path.first { return "moving" }
        return random.pick(["lab", "lab", "lab", "lab2"])
    }

    private mutating func addQuery(to request: inout FuzzRequest) {
        let parameters = Array(request.route.shape.query)
        var items: [[UInt8]] = []
        for parameter in parameters where random.once(in: isExtreme ? 2 : max(2, parameters.count / 3)) {
            for _ in 0...(isWild() ? 1 : 0) { items.append(Array("\(parameter.key)=".utf8) + encoded(text(parameter.value))) }
        }
        if isWild() {
            items.append(
                Array(
                    random.pick(["", "&", "=", "%", "%00=%00", "a=%zz", "x[]=1", String(repeating: "a=b&", count: 300), "%ff=%ff", "feed"])
                        .utf8))
        }
        guard !items.isEmpty else { return }
        request.target += [0x3f] + items.joined(separator: [0x26])
    }

    /// Percent-encoded, validly or nearly.
    private mutating func encoded(_ bytes: [UInt8], keeps others: [UInt8] = []) -> [UInt8] {
        let isRaw = isWild()
        return bytes.flatMap { byte -> [UInt8] in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || "-._~".utf8.contains(byte)
            if isPlain || others.contains(byte) || isRaw && byte > 0x20 { return [byte] }
            return Array("%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
        }
    }

    // MARK: Headers

    /// The headers of a WebSocket upgrade.
    private static let upgrade: KeyValuePairs<String, Term> = [
        "Upgrade": .choice(["websocket"]), "Connection": .choice(["Upgrade", "keep-alive, Upgrade", "Upgrade\t, x"]),
        "Sec-WebSocket-Version": .choice(["13"]),
        "Sec-WebSocket-Key": .choice([RawWebSocket.key]),
        "Sec-WebSocket-Protocol": .choice(["BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3,x", "y"]),
    ]

    private mutating func addHeaders(to request: inout FuzzRequest, _ caller: FuzzCaller) {
        request.headers.append(("Host", Array("127.0.0.1".utf8)))
        request.headers += caller.headers(in: request.database).map { ($0.key, Array($0.value.utf8)) }
        let known = Array(RequestShape.headers)
        for _ in 0..<random.number(0...(wildness == 0 ? 1 : 3)) {
            let header = random.pick(known)
            // A second login, or an upgrade, makes the request special.
            if ["Authorization", "Cookie", "Origin", "Sec-Fetch-Site", "Dualgauge-Via"].contains(header.key) { request.isPlain = false }
            let value = text(header.value).filter { wildness > 0 && wildness < 12 || $0 >= 0x20 && $0 != 0x7f }
            // A line break inside would end the head, and the rest would be a request of its own.
            request.headers.append((header.key, value.filter { $0 != 0x0a && $0 != 0x0d }))
        }
        if case .exactly(let name)? = request.route.path.first, name == "_blipsync" || name == "_changes", random.once(in: 4) {
            for (name, value) in Self.upgrade { request.headers.append((name, text(value).filter { $0 >= 0x20 })) }
        }
        if isWild() {
            request.isPlain = false
            request.headers.append(
                (
                    random.pick(["X", "", "X Y", "X\t", "é", String(repeating: "X", count: 3_000)]),
                    random.pick(Boundaries.texts).filter { $0 != 0x0a && $0 != 0x0d }
                ))
        }
        if isWild(), random.once(in: 4) { request.headers += (0..<300).map { ("X-\($0)", [0x31]) } }
    }
}
