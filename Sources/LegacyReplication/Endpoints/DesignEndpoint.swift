import HummingbirdCore

/// `_design/{id}`: there are none here, because views and filters run elsewhere.
///
/// Everybody but administrators gets 403, which CouchDB's replicator counts as one failed document and goes on.
enum DesignEndpoint {
    static func get(_ call: LegacyCall) throws -> Response {
        throw LegacyError(.notFound, "missing")
    }

    static func refuse(_ call: LegacyCall) throws -> Response {
        throw LegacyError(.unsupported, "Design documents are not kept: views and filters of CouchDB don't run here")
    }
}
