/// One request, ready to be sent.
struct FuzzRequest: Sendable {
    let route: FuzzRoute
    var method: String
    var target: [UInt8] = []
    var headers: [(name: String, value: [UInt8])] = []
    var body: [UInt8] = []
    var framing = Framing.length

    /// Of the database in the target; `nil` where there is none.
    var database: String?

    /// Whether method and path are as the route has them, and nobody else's login was put in: then the tables say who may ask it.
    var isPlain = true

    /// Whether its answer may wait for something that never happens: that of a feed that goes on. What a body says may be compressed.
    var mayWait: Bool {
        let text = String(decoding: target, as: UTF8.self).lowercased()
        return text.contains("changes") && (text.contains("feed") || !body.isEmpty) || text.contains("_blipsync")
    }

    /// How many milliseconds may pass without a byte of its answer. A step of the cutover compares both servers first, and the other one may be slow.
    var patience: Int {
        let takesLong = method == "POST" && route.path.contains { $0.isNamed("_cutover") }
        return FuzzSettings.patience * 1_000 * (takesLong ? 6 : 1)
    }

    /// Its bytes, as they go over the wire.
    var bytes: [UInt8] {
        var bytes = Array(method.utf8) + [0x20] + target + Array(" \(framing.version)\r\n".utf8)
        for (name, value) in headers { bytes += Array(name.utf8) + Array(": ".utf8) + value + Array("\r\n".utf8) }
        return bytes + framing.rest(of: body)
    }
}
