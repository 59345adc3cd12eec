extension MatrixRow {
    private static let json = "Accept: application/json\r\n"
    private static let edit = #"{"channels":["other"]}"#

    /// What is served behind a keyspace.
    static let legacy: [MatrixRow] =
        keyspace + lists + documents + attachments
        + ["GET", "HEAD"].flatMap { [MatrixRow("\($0) local", "_local/ID", insider: 404, outsider: 404)] }
        + ["GET", "HEAD"].flatMap { [MatrixRow("\($0) design", "_design/ID", insider: 404, outsider: 404)] }
        + [
            MatrixRow(#"GET endpoint("_changes")"#, "_changes?filter=ID/ID&include_docs=true", insider: 404, outsider: 404),
            MatrixRow("PUT local", "_local/CALLER-ID", "{}", insider: 201, outsider: 201),
            MatrixRow("DELETE local", "_local/ID", insider: 404, outsider: 404),
            MatrixRow("PUT design", "_design/ID", "{}", insider: 403, outsider: 403, administrator: 201),
            MatrixRow("DELETE design", "_design/ID", insider: 403, outsider: 403, administrator: 404),
        ]

    private static let keyspace = [
        MatrixRow("GET keyspace", "", insider: 200, outsider: 200),
        MatrixRow("HEAD keyspace", "", insider: 200, outsider: 200),
        MatrixRow("PUT keyspace", "", insider: 412, outsider: 412),
        MatrixRow("POST keyspace", "", #"{"_id":"ID","channels":["other"]}"#, insider: 409, outsider: 409, changes: true),
        MatrixRow(#"POST endpoint("_ensure_full_commit")"#, "_ensure_full_commit", insider: 201, outsider: 201),
        MatrixRow(#"POST endpoint("_revs_diff")"#, "_revs_diff", #"{"ID":["1-abc","REV"]}"#, insider: 200, outsider: 200),
        MatrixRow(
            #"POST endpoint("_bulk_docs")"#, "_bulk_docs", #"{"docs":[{"_id":"ID","channels":["other"]}]}"#, insider: 201, outsider: 201,
            changes: true),
        MatrixRow(#"POST endpoint("_bulk_docs")"#, "_bulk_docs", #"{"docs":[{"_id":"ID","_rev":"5-abc"}]}"#, insider: 201, outsider: 201),
        MatrixRow(#"POST endpoint("_bulk_get")"#, "_bulk_get", #"{"docs":[{"id":"ID"}]}"#, headers: json, insider: 200, outsider: 200),
        MatrixRow(
            #"POST endpoint("_bulk_get")"#, "_bulk_get?revs=true&attachments=true", #"{"docs":[{"id":"ID","rev":"REV"}]}"#, headers: json,
            insider: 200, outsider: 200),
    ]

    private static let lists = ["GET", "HEAD", "POST"].flatMap { method in
        let isPost = method == "POST"
        return [
            MatrixRow(
                #"\#(method) endpoint("_changes")"#,
                isPost ? "_changes" : "_changes?filter=_doc_ids&doc_ids=%5B%22ID%22%5D&include_docs=true",
                isPost ? #"{"filter":"_doc_ids","doc_ids":["ID"],"include_docs":true,"style":"all_docs"}"# : "", insider: 200, outsider: 200
            ),
            MatrixRow(
                #"\#(method) endpoint("_all_docs")"#,
                isPost ? "_all_docs" : "_all_docs?include_docs=true&startkey=%22ID%22&endkey=%22ID%22",
                isPost ? #"{"keys":["ID"]}"# : "", insider: 200, outsider: 200),
        ]
    }

    private static let documents = [
        MatrixRow("GET document", "ID", headers: json, insider: 200, outsider: 404),
        MatrixRow("GET document", "ID?rev=REV&revs=true", headers: json, insider: 200, outsider: 404),
        MatrixRow("GET document", "ID?rev=REV&latest=true&conflicts=true", headers: json, insider: 200, outsider: 404),
        MatrixRow("GET document", "ID?open_revs=all", headers: json, insider: 200, outsider: 404),
        MatrixRow("GET document", "ID?open_revs=%5B%22REV%22%5D", headers: json, insider: 200, outsider: 200),
        MatrixRow("GET document", "ID?attachments=true", headers: json, insider: 200, outsider: 404),
        MatrixRow("HEAD document", "ID", insider: 200, outsider: 404),
        MatrixRow("PUT document", "ID", edit, insider: 409, outsider: 409, changes: true),
        MatrixRow("PUT document", "ID?rev=5-abc", edit, insider: 409, outsider: 409),
        MatrixRow("DELETE document", "ID", insider: 409, outsider: 409, changes: true),
        MatrixRow("DELETE document", "ID?rev=5-abc", insider: 409, outsider: 409),
    ]

    private static let attachments = [
        MatrixRow("GET attachment", "ID/photo", insider: 200, outsider: 404),
        MatrixRow("GET attachment", "ID/photo?rev=REV", insider: 200, outsider: 404),
        MatrixRow("GET attachment", "ID/other", insider: 404, outsider: 404),
        MatrixRow("HEAD attachment", "ID/photo", insider: 200, outsider: 404),
        MatrixRow("PUT attachment", "ID/photo", "x", insider: 409, outsider: 409, changes: true),
        MatrixRow("PUT attachment", "ID/photo?rev=5-abc", "x", insider: 409, outsider: 409),
        MatrixRow("DELETE attachment", "ID/photo", insider: 409, outsider: 404),
        MatrixRow("DELETE attachment", "ID/photo?rev=5-abc", insider: 409, outsider: 409),
    ]
}
