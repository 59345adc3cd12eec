package import BLIP
import Documents
package import Gateway
import Storage

/// A `rev` whose body is the difference from another revision (docs/protocol/modern-2x.md#deltas).
package struct IncomingDelta: Sendable {
    package let request: BLIPMessage
    private let id: String
    private let source: RevisionName

    /// `nil` if the body is whole. A tombstone's body always is, regardless of the properties (docs/protocol/modern-2x.md#delta-errors).
    ///
    /// - Throws: 422, so that the peer sends the whole revision.
    package init?(_ request: BLIPMessage) throws(BLIPRequestError) {
        let properties = request.properties
        guard let source = properties["deltaSrc"], !properties.isOfTombstone else { return nil }
        guard let name = RevisionName(source) else {
            throw Self.refusal("\(source.prefix(100)) is neither the ID of a revision nor a version")
        }
        self.request = request
        self.source = name
        id = properties["id"] ?? ""
    }

    /// The whole body; 422 if the delta cannot be applied.
    func body(in snapshot: KeyspaceSnapshot) throws -> Result<[UInt8], BLIPRequestError> {
        guard let document = try snapshot.document(id, followingMoves: true), !document.isWithheld,
            let revision = try snapshot.revision(named: source, of: document), let base = try document.content(of: revision),
            !base.isDeleted
        else { return .failure(Self.refusal("The body of \(source) is not stored")) }
        let old = try base.messageBody(in: snapshot).bytes
        return Result { () throws(DocumentError) in try JSONDelta.apply(request.body, to: old) }.mapError { Self.refusal($0.message) }
    }

    /// The bodies of the first deltas, at least one, up to about `maxBytes`.
    package static func bodies(
        _ deltas: ArraySlice<IncomingDelta>, in snapshot: KeyspaceSnapshot, maxBytes: Int
    ) throws -> [Result<[UInt8], BLIPRequestError>] {
        var bodies: [Result<[UInt8], BLIPRequestError>] = []
        var bytes = 0
        for delta in deltas {
            guard bytes < maxBytes else { break }
            let body = try delta.body(in: snapshot)
            bytes += (try? body.get().count) ?? 0
            bodies.append(body)
        }
        return bodies
    }

    package static func refusal(_ why: String) -> BLIPRequestError {
        BLIPRequestError(.unprocessable, "\(why); send the revision whole")
    }
}
