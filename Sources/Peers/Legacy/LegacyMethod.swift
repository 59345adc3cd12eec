import NIOHTTP1

/// The methods that a 1.x client uses.
enum LegacyMethod: String {
    case GET, POST, PUT

    var httpMethod: HTTPMethod { HTTPMethod(rawValue: rawValue) }
}
