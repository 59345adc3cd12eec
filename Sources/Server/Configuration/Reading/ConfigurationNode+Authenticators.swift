import Access
import Yams

extension ConfigurationNode {
    /// A text, or a list of at least one.
    func oneOrMoreTexts() throws -> [String] {
        let texts = node.sequence == nil ? [try nonEmptyText()] : try items().map { try $0.nonEmptyText() }
        guard !texts.isEmpty else { throw error(.badValue, "the list is empty") }
        return texts
    }

    /// A URL that may be asked.
    func endpoint(plainHTTP: VerificationEndpoint.PlainHTTP = .loopback) throws -> VerificationEndpoint {
        do {
            return try VerificationEndpoint(configured: try text(), plainHTTP: plainHTTP)
        } catch let error as LoginError {
            throw self.error(.badValue, error.message)
        }
    }

    /// A time that is not nothing.
    func duration(upTo maximum: Duration) throws -> Duration {
        let duration = try duration()
        guard duration > .zero, duration <= maximum else {
            throw error(.badValue, "expected a time of at most \(maximum.components.seconds)s")
        }
        return duration
    }

    /// Whole seconds, nothing included.
    func seconds(upTo maximum: Int64) throws -> Int64 {
        let seconds = try duration().components.seconds
        guard seconds <= maximum else { throw error(.badValue, "expected a time of at most \(maximum)s") }
        return seconds
    }
}
