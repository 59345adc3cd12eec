/// An answer to a step that is neither done nor refused by a gate.
struct CutoverRefusal: Error {
    let status: Int

    /// What the bridge says.
    let reason: String

    var message: String { reason.isEmpty ? "the bridge has answered \(status); see its log" : reason }
}
