import BLIP

extension ModernSession {
    /// `unsubChanges`: the client's pull of a collection ends (docs/protocol/modern-2x.md#subchanges).
    func unsubChanges(_ request: BLIPMessage) throws {
        let collection = try collection(of: request).1
        collection.feed?.stop()
        collection.feed = nil
        collection.pull.leave()
        reply(.reply(to: request.number))
    }
}
