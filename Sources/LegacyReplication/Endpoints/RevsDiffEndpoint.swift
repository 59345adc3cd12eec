import Gateway
import HTTPTypes
import HummingbirdCore

/// `_revs_diff`: which of its revisions a client should send.
enum RevsDiffEndpoint {
    static func difference(_ call: LegacyCall) async throws -> Response {
        var request = try RevsDiffRequest(try await call.jsonBody(), limits: call.limits)
        if !call.caller.isAdministrator { request.leaveOutDesign() }
        let asked = request.entries.filter { !$0.revisions.isEmpty }.map { (id: $0.id, revisions: $0.revisions) }
        let differences = asked.isEmpty ? [] : try await call.keyspace.difference(asked)
        var response = Response.json(RevsDiffResponse.encode(request, differences))
        // Sync Gateway's, which leaves it to Go to guess.
        response.headers[.contentType] = "text/plain; charset=utf-8"
        return response
    }
}
