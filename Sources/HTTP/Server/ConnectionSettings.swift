import HummingbirdCore
import NIOCore

/// What all connections of a server share.
struct ConnectionSettings: Sendable {
    let serverName: String
    let limits: HTTPServerLimits
    let tls: ReloadableTLS?
    let shutdown: ShutdownSignal
    let memory: MemoryAccount
    let handler: HTTPServer.Handler
}
