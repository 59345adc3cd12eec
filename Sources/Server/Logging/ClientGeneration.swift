/// Which generation of clients one belongs to, by its `User-Agent` and what it speaks.
struct ClientGeneration: CustomStringConvertible {
    let description: String

    /// - Parameter isBLIP: whether it speaks the protocol of 2.x and later over one WebSocket.
    init(_ userAgent: String, isBLIP: Bool) {
        guard isBLIP else {
            description = "1"
            return
        }
        // LiteCore says the version of its protocol or product behind the slash: `CouchbaseLite/3.2.1-5 (Java; …)`.
        let version = userAgent.split(separator: "/", maxSplits: 1).dropFirst().first?.first
        description = version.flatMap { "234".contains($0) ? String($0) : nil } ?? "2+"
    }
}
