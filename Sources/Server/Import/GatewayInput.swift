/// One configuration that is translated.
struct GatewayInput: Sendable {
    /// The file, or the URL.
    let name: String
    let section: GatewaySection

    /// Whether it is the server's own configuration, as opposed to that of one database in 3.x.
    let isServer: Bool

    /// What could not be read of it.
    var unread: [GatewayImport.Dropped] = []
}
