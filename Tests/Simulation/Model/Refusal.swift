/// The contents that an upstream refuses for a time, to receive or to send: all except those of every third number.
struct Refusal: Hashable, Sendable, CustomStringConvertible {
    static let divisor = 3

    let remainder: Int

    func isAbout(_ number: Int?) -> Bool { number.map { $0 % Self.divisor != remainder } ?? false }

    var description: String { "all but every third content, from \(remainder) on, is refused" }
}
