import Documents
import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// Sends one response of a changes feed in bounded pieces, no faster than the client reads.
///
/// Its state is behind a reference: the frames and closures of a waiting feed hold several copies of its writer, for as long as it waits.
struct ChangesWriter: Sendable {
    private final class State: Sendable {
        let pieces: ChangesPieces

        init(_ pieces: ChangesPieces) {
            self.pieces = pieces
        }
    }

    private var state: State

    /// - Parameter commits: Notifies a feed that stays open of commits; `nil` for other feeds.
    /// - Throws: ``LegacyError`` if the filter does not exist, or is not a function.
    init(
        keyspace: Keyspace, options: ChangesOptions, since: FeedPosition, following commits: CommitSubscription? = nil,
        limits: LegacyLimits, encoder: ChangesEncoder = ChangesEncoder()
    ) async throws {
        let plan = ChangesPieces.Plan(keyspace: keyspace, options: options, limits: limits, encoder: encoder)
        let filter = try await Self.filter(options.filter, in: keyspace)
        state = State(
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

    var keyspace: Keyspace { state.pieces.plan.keyspace }
    var chunkSize: Int { state.pieces.plan.limits.chunkSize }
    var cursor: ChangesCursor { state.pieces.cursor }

    /// Whether all requested rows that exist were sent.
    var isAtEnd: Bool { state.pieces.isAtEnd }

    /// The position at which the client continues.
    var position: FeedPosition { state.pieces.position }

    /// The next rows of the response; empty if there are none. At most one batch, or the rows whose documents one snapshot may read.
    mutating func nextPiece(_ layout: ChangesLayout) async throws -> SegmentedBody {
        let start = state
        let piece: SegmentedBody
        (state, piece) = try await keyspace.take(start.pieces.turn) {
            var pieces = start.pieces
            let piece = try await pieces.read(layout)
            return (State(pieces), piece)
        }
        return piece
    }

    /// Writes a piece of the response.
    func write(_ piece: SegmentedBody, to body: inout any ResponseBodyWriter) async throws {
        try await piece.write(to: &body, from: keyspace, chunkSize: chunkSize)
    }
}
