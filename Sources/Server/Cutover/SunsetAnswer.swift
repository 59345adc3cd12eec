import HTTP
import HTTPTypes
import HummingbirdCore

/// What clients of 1.x are told that are no longer served: so that they stop, and lose nothing.
///
/// 403 with `forbidden` is what all of them take as final. Couchbase Lite 1.x stops at it, as at any 4xx but 429 (.NET, iOS) and 408 (Java); PouchDB
/// goes on trying for ever unless the error's name is `unauthorized` or `forbidden`; 401 makes apps ask for a password, or log in anew, and 404 makes
/// clients forget their checkpoints and create the database (docs/protocol/legacy-1x.md#checkpoint-requests,
/// docs/protocol/legacy-1x.md#retries-of-couchbase-lite).
enum SunsetAnswer {
    static let reason = """
        This server no longer serves apps that were built with Couchbase Lite 1.x or PouchDB. Nothing on this device is lost: install the current \
        version of the app, which takes the device's documents along.
        """

    static func response(to request: Request, _ target: RequestTarget) -> Response {
        ServerAnswer.error(isOfOneDocument(request, target) ? .badRequest : .forbidden, "forbidden", reason)
    }

    /// 403, 404 and 410 for one revision make a pull that is under way pass over it for good; 400 does not.
    private static func isOfOneDocument(_ request: Request, _ target: RequestTarget) -> Bool {
        guard request.method == .get || request.method == .head, target.segments.count >= 2 else { return false }
        return !target.segments[1].value.hasPrefix("_") && !target.segments[1].value.isEmpty
    }
}
