/// The names of the bridge's spans. None has a value that a client chooses freely: a backend keeps a statistic for each name.
package enum SpanName {
    /// An HTTP request until its answer begins. The method and the class of the request, such as `POST _bulk_docs`.
    package static func request(_ method: String, _ requestClass: String) -> String { "\(method) \(requestClass)" }

    /// A message of a 2.x+ client until its reply is queued. BLIP and the message's profile, such as `BLIP proposeChanges`.
    package static func message(_ profile: String) -> String { "BLIP \(profile)" }

    /// A commit of a store, with the work of all its callers.
    package static let commit = "store commit"

    /// The opening of a WebSocket to another server, until it is open or refused.
    package static let opening = "WebSocket open"

    /// A batch of revisions of a replicator.
    package static let pull = "replication pull"
    package static let push = "replication push"
}

/// The names of the attributes of spans. No attribute has a document's ID, a body, a user's name, a credential or a path.
package enum SpanAttributeName {
    /// The method, or `_OTHER` for one that HTTP does not define.
    package static let method = "http.request.method"

    /// The status of the answer.
    package static let status = "http.response.status_code"

    /// The type of an error, never its text: texts have document IDs.
    package static let errorType = "error.type"

    /// The class of a request, as in `dualgauge_requests_total`.
    package static let requestClass = "dualgauge.request.class"

    /// `public` or `admin`.
    package static let port = "dualgauge.port"

    /// The name of the database.
    package static let database = "dualgauge.database"

    /// The profile of a BLIP message, or `unknown`.
    package static let profile = "dualgauge.blip.profile"

    /// The bytes of the body of a BLIP message, decompressed.
    package static let size = "dualgauge.blip.size"

    /// The number of callers whose work a commit has.
    package static let jobs = "dualgauge.commit.jobs"

    /// The number of these callers that are traced. The first is the parent of the commit's span, the others are links.
    package static let tracedJobs = "dualgauge.commit.traced_jobs"

    /// The protocol of a replicator: `1.x` or `2.x+`.
    package static let generation = "dualgauge.replication.generation"

    /// The number of revisions in a replicator's batch.
    package static let revisions = "dualgauge.replication.revisions"
}
