import AsyncHTTPClient
import Documents
import Foundation
import NIOCore
import NIOHTTP1

extension SoakBridge {
    var admin: HTTPWire { HTTPWire(client: .shared, base: "http://127.0.0.1:\(adminPort)") }

    /// Makes the users and the document that is read all the time.
    func prepare(_ users: [Account]) async throws {
        for user in users + [.everything] {
            try await admin.send(.PUT, "\(Self.database)/_user/\(user.user ?? "")", user.json)
        }
        try await admin.send(.PUT, "\(Self.database)/\(Prober.document)", #"{"channels":["\#(Account.publicChannel)"]}"#)
    }

    /// Values without labels of `/metrics`; none when it does not answer.
    func metrics() async -> [Substring: Double] {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(adminPort)/metrics")
        guard let answer = try? await HTTPClient.shared.execute(request, timeout: .seconds(30)),
            let bytes = try? await answer.body.collect(upTo: 4 << 20)
        else { return [:] }
        let lines = String(buffer: bytes).split(separator: "\n").map { $0.split(separator: " ") }
        return lines.reduce(into: [:]) { values, line in
            if line.count == 2, let value = Double(line[1]) { values[line[0]] = value }
        }
    }
}
