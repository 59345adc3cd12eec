public import HTTPTypes

extension HTTPResponse.Status {
    /// The status's text as Sync Gateway's answers have it: Go has kept the names of RFC 7231 and before.
    public var namedByGo: String {
        switch code {
        case 413: "Request Entity Too Large"
        case 414: "Request URI Too Long"
        case 416: "Requested Range Not Satisfiable"
        case 422: "Unprocessable Entity"
        default: reasonPhrase
        }
    }
}
