import Documents
import HTTPTypes
import HummingbirdCore

extension LegacyError {
    /// The answer to a whole request.
    var response: Response {
        var body: [UInt8] = []
        JSONWriter.append(raw: "{\"error\":", to: &body)
        JSONWriter.append(code.name, to: &body)
        JSONWriter.append(raw: ",\"reason\":", to: &body)
        JSONWriter.append(reason, to: &body)
        JSONWriter.append(raw: "}", to: &body)
        return .json(body, status: code.status)
    }

    /// Appends a row that stands for a document that failed: `{"error","id","reason","rev"?,"status"}`.
    ///
    /// There is no `_id` in it: clients take that for success.
    func appendRow(id: String, revision: String? = nil, to bytes: inout [UInt8]) {
        JSONWriter.append(raw: "{\"error\":", to: &bytes)
        JSONWriter.append(code.rowName, to: &bytes)
        JSONWriter.append(raw: ",\"id\":", to: &bytes)
        JSONWriter.append(id, to: &bytes)
        JSONWriter.append(raw: ",\"reason\":", to: &bytes)
        JSONWriter.append(reason, to: &bytes)
        if let revision {
            JSONWriter.append(raw: ",\"rev\":", to: &bytes)
            JSONWriter.append(revision, to: &bytes)
        }
        JSONWriter.append(raw: ",\"status\":", to: &bytes)
        JSONWriter.append(code.status.code, to: &bytes)
        JSONWriter.append(raw: "}", to: &bytes)
    }
}
