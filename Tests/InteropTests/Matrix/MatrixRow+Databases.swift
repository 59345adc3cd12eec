extension MatrixRow {
    /// What administrators do with databases as a whole. On the public port none of it is there: what is left of the paths is the listener's of
    /// 1.x, to which `PUT /{db}/` means that the database exists already.
    static let ofAdministrators = lasting + ending

    static let lasting: [MatrixRow] = [
        ofAdministrators("GET _config"), ofAdministrators("HEAD _config"), ofAdministrators("PUT _config", "{", 400),
        ofAdministrators("POST _config", "{", 400), ofAdministrators("GET _config/sync"), ofAdministrators("HEAD _config/sync"),
        ofAdministrators("PUT _config/sync", "function (", 400), ofAdministrators("DELETE _config/sync"),
        ofAdministrators("POST _online"), ofAdministrators("POST _flush", "", 503),
        ofAdministrators("GET _resync"), ofAdministrators("HEAD _resync"), ofAdministrators("POST _resync", "", 503),
        ofAdministrators("GET _overview"), ofAdministrators("HEAD _overview"),
        ofAdministrators("GET _migrations"), ofAdministrators("HEAD _migrations"), ofAdministrators("POST _migrations", "{}", 400),
        // Its configuration has no cutover.
        ofAdministrators("GET _cutover", "", 404), ofAdministrators("HEAD _cutover", "", 404),
        ofAdministrators("POST _cutover", "{}", 404),
        ofAdministrators("GET _cutover/comparison", "", 404), ofAdministrators("HEAD _cutover/comparison", "", 404),
        ofAdministrators("POST _cutover/comparison", "{}", 404), ofAdministrators("DELETE _cutover/comparison", "", 404),
        ofAdministrators("GET _cutover/devices", "", 404), ofAdministrators("HEAD _cutover/devices", "", 404),
        ofAdministrators("POST _cutover/devices", "{}", 404),
        ofAdministrators("GET _compact"), ofAdministrators("HEAD _compact"), ofAdministrators("POST _compact"),
        ofAdministrators("POST _purge", "[]", 400),
        MatrixRow("GET _raw/*", "_raw/ID", insider: 404, outsider: 404, administrator: 200),
        MatrixRow("HEAD _raw/*", "_raw/ID", insider: 404, outsider: 404, administrator: 200),
        MatrixRow("GET _revtree/*", "_revtree/ID", insider: 404, outsider: 404, administrator: 200),
        MatrixRow("HEAD _revtree/*", "_revtree/ID", insider: 404, outsider: 404, administrator: 200),
        MatrixRow("PUT ", "", "{}", insider: 412, outsider: 412, administrator: 412),
    ]

    /// After each of these the database answers no more.
    static let ending: [MatrixRow] = [
        ofAdministrators("POST _offline"), MatrixRow("DELETE ", "", insider: 405, outsider: 405, administrator: 200),
    ]

    private static func ofAdministrators(_ route: String, _ body: String = "", _ administrator: Int = 200) -> MatrixRow {
        let path = String(route.split(separator: " ")[1])
        return MatrixRow(route, path, body, insider: 404, outsider: 404, administrator: administrator)
    }
}
