import Documents

/// The answer to a write of one document: `{"id":"a","ok":true,"rev":"1-b"}`.
enum WriteResponse {
    static func encode(id: String, revision: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(raw: "{\"id\":", to: &bytes)
        JSONWriter.append(id, to: &bytes)
        JSONWriter.append(raw: ",\"ok\":true,\"rev\":", to: &bytes)
        JSONWriter.append(revision, to: &bytes)
        JSONWriter.append(raw: "}", to: &bytes)
        return bytes
    }
}
