import Foundation
import HTTP

/// A client that asks for much and reads a few bytes a second.
struct SlowReader: SoakClient {
    let name = "slow reader"
    let world: World
    let account: Account

    func live() async throws {
        guard world.isWriting else { return }
        let connection = try await RawConnection(port: world.bridge.port, isSlow: true)
        let path = Bool.random() ? "_changes?feed=continuous&include_docs=true&since=0" : "_all_docs?include_docs=true"
        let authorization = account.credentials.map { "Authorization: \($0.authorization)\r\n" } ?? ""
        try await connection.send(Array("GET /\(SoakBridge.database)/\(path) HTTP/1.1\r\nHost: soak\r\n\(authorization)\r\n".utf8))
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await connection.closed() }
            // Sooner or later the device is switched off.
            group.addTask { try await Task.sleep(for: .seconds(Double.random(in: 20...120))) }
            defer { group.cancelAll() }
            _ = await group.nextResult()
            await connection.close(isReset: Bool.random())
        }
    }
}
