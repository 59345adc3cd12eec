import BLIP

extension ModernSession {
    /// `norev`: a revision that was promised will not come (docs/protocol/modern-2x.md#norev). Nothing waits for it.
    func norev(_ request: BLIPMessage) throws {
        _ = try collection(of: request)
        reply(.reply(to: request.number))
    }
}
