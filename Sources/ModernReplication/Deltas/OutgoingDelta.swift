import Documents
import Gateway

/// A revision's body as the difference from one that the peer has (protocol reference 7).
struct OutgoingDelta: Sendable {
    /// A smaller body is sent whole, as by LiteCore.
    private static let minimumBody = 200

    /// Only so many of the revisions that the peer has are looked at.
    private static let candidates = 3

    /// The revision that it builds on, by the peer's name for it.
    let source: RevisionName
    let body: [UInt8]

    /// - Parameters:
    ///   - whole: The body as it would be sent.
    ///   - known: Revisions that the peer has, by its names for them, the best first.
    ///   - form: Makes a body of a revision's content as the peer has it.
    /// - Returns: `nil` if the whole body does as well.
    static func make(
        _ whole: [UInt8], from known: [RevisionName], of document: DocumentView, in snapshot: KeyspaceSnapshot,
        form: (RevisionContent) throws -> [UInt8]
    ) throws -> OutgoingDelta? {
        guard whole.count >= minimumBody, !document.isWithheld else { return nil }
        for source in known.prefix(candidates) {
            guard let revision = try snapshot.revision(named: source, of: document), let base = try document.content(of: revision),
                !base.isDeleted
            else { continue }
            guard let body = try? JSONDelta.create(from: try form(base), to: whole), body.count < whole.count else { return nil }
            return OutgoingDelta(source: source, body: body)
        }
        return nil
    }
}
