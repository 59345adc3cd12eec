import BLIP

extension ModernSession {
    /// `norev`: a revision that was promised will not come (protocol reference 3.9). Nothing waits for it.
    func norev(_ request: BLIPMessage) throws {
        _ = try collection(of: request)
        reply(.reply(to: request.number))
    }
}
