/// Things of which all are counted, and as many listed as memory allows.
public struct ReportList<Element: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    /// How many are listed.
    public static var maximum: Int { 100_000 }

    public private(set) var count = 0

    /// The first that came.
    public private(set) var items: [Element] = []

    public init() {}

    /// Counts some of which nothing is known any more.
    mutating func count(unlisted number: Int) { count += number }

    public mutating func add(_ element: Element) {
        count += 1
        if items.count < Self.maximum { items.append(element) }
    }
}
