import NIOHTTP1

/// The methods that a 1.x client uses.
enum LegacyMethod: String {
    case get = "GET"
    case post = "POST"
    case put = "PUT"

    var httpMethod: HTTPMethod { HTTPMethod(rawValue: rawValue) }
}
