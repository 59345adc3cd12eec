import Access
import HTTPTypes
import HummingbirdCore

/// What a request is answered with that has come back to the database whose bridge has sent it.
enum LoopAnswer {
    /// The reason, which a replication's status and the gate `lag` show.
    static func response(_ database: String) -> Response {
        ServerAnswer.error(
            .init(code: 508, reasonPhrase: "Loop Detected"), "Loop Detected",
            """
            This request has come back to the database \(database) that has sent it: its old server, or that one's, is this bridge itself. \
            Correct the `remote` of its replication
            """)
    }
}

extension Request {
    /// The bridges that it has come by; `nil` for what no bridge sends.
    var trail: BridgeTrail? {
        guard let name = HTTPField.Name(BridgeTrail.header), let text = headers[name] else { return BridgeTrail() }
        return BridgeTrail(header: text)
    }
}
