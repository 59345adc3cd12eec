/// One request, ready to be sent.
struct FuzzRequest: Sendable {
    let route: FuzzRoute
    var method: String
    var target: [UInt8] = []
    var headers: [(name: String, value: [UInt8])] = []
    var body: [UInt8] = []
    var framing = Framing.length

    /// The database in the target; `nil` if it has none.
    var database: String?

    /// Whether method and path are those of the route, and the login is the caller's own: then the tables decide on the permission.
    var isPlain = true

    /// Whether its reply may wait forever, as that of a continuous feed. A compressed body may contain such options.
    var mayWait: Bool {
        let text = String(decoding: target, as: UTF8.self).lowercased()
        return text.contains("changes") && (text.contains("feed") || !body.isEmpty) || text.contains("_blipsync")
    }

    /// The maximal time without a byte of its reply, in milliseconds. A step of the cutover compares both servers first, and the other server may be
    /// slow.
    var timeout: Int {
        let takesLong = method == "POST" && route.path.contains { $0.isNamed("_cutover") }
        return FuzzSettings.timeout * 1_000 * (takesLong ? 6 : 1)
    }

    /// Its bytes on the wire.
    var bytes: [UInt8] {
        var bytes = Array(method.utf8) + [0x20] + target + Array(" \(framing.version)\r\n".utf8)
        for (name, value) in headers { bytes += Array(name.utf8) + Array(": ".utf8) + value + Array("\r\n".utf8) }
        return bytes + framing.rest(of: body)
    }
}
