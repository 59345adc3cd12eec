import BLIP

extension ModernSession {
    /// `changes` from a client that means to push: no Couchbase Lite 2.x+ client does, and this side takes no conflicts.
    func changes(_ request: BLIPMessage) throws {
        _ = try collection(of: request)
        // Nothing to offer: a pusher that has come to its end says so, and no more.
        let body = request.body.filter { $0 > 0x20 }
        guard body.isEmpty || body == Array("[]".utf8) || body == Array("null".utf8) else {
            throw RequestError(.conflict, "Use 'proposeChanges' instead")
        }
        reply(.reply(to: request.number, body: Array("[]".utf8)))
    }
}
