import Coordination
import Documents
import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// Sends one response of a changes feed in bounded pieces, no faster than the client reads.
///
/// A reference, because the frames and closures of a waiting feed hold its writer several times, for as long as it waits. One task uses it.
final class ChangesWriter: Sendable {
    private let plan: ChangesPieces.Plan
    private let pieces: Lock<ChangesPieces>

    /// - Parameter commits: Notifies a feed that stays open of commits; `nil` for other feeds.
    /// - Throws: ``LegacyError`` if the filter does not exist, or is not a function.
    init(
        keyspace: Keyspace, options: ChangesOptions, since: FeedPosition, following commits: CommitSubscription? = nil,
        limits: LegacyLimits, encoder: ChangesEncoder = ChangesEncoder()
    ) async throws {
        plan = ChangesPieces.Plan(keyspace: keyspace, options: options, limits: limits, encoder: encoder)
        let filter = try await Self.filter(options.filter, in: keyspace)
        pieces = Lock(
            ChangesPieces(plan: plan, cursor: ChangesCursor(options, since: since, filter: filter, following: commits, limits: limits)))
    }

    private static func filter(_ filter: ChangesOptions.Filter?, in keyspace: Keyspace) async throws -> ChangesFilter? {
        switch filter {
        case .function(let name, let parameters):
            try await LegacyError.ofFilter { try await keyspace.filter(name, parameters: parameters) }
        case .selector(let selector): keyspace.filter(selecting: selector)
        case nil: nil
        }
    }

    var keyspace: Keyspace { plan.keyspace }
    var chunkSize: Int { plan.limits.chunkSize }
    var cursor: ChangesCursor { pieces.withLock { $0.cursor } }

    /// Whether all requested rows that exist were sent.
    var isAtEnd: Bool { pieces.withLock { $0.isAtEnd } }

    /// The position at which the client continues.
    var position: FeedPosition { pieces.withLock { $0.position } }

    /// The next rows of the response; empty if there are none. At most one batch, or the rows whose documents one snapshot may read.
    func nextPiece(_ layout: ChangesLayout) async throws -> SegmentedBody {
        try await keyspace.take(pieces.withLock { $0.turn }) { [self] in
            var next = pieces.withLock { $0 }
            let piece = try await next.read(layout)
            pieces.withLock { [next] in $0 = next }
            return piece
        }
    }

    /// Writes a piece of the response.
    func write(_ piece: SegmentedBody, to body: inout any ResponseBodyWriter) async throws {
        try await piece.write(to: &body, from: keyspace, chunkSize: chunkSize)
    }
}
