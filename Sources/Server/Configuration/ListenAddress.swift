/// Where a port listens.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:4984`, `[::1]:4984`, `:4984` (every address) or `4984` (loopback).
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else {
            guard let port = Int(text), (0...65535).contains(port) else { return nil }
            self.init(host: "127.0.0.1", port: port)
            return
        }
        guard let port = Int(text[text.index(after: colon)...]), (0...65535).contains(port) else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
    }

    /// Whether only this machine reaches it.
    public var isLoopback: Bool { host == "::1" || host == "localhost" || host.hasPrefix("127.") }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
