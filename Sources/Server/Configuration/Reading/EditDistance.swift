/// How far two words are apart, to name the known key that somebody probably meant.
package enum EditDistance {
    /// The number of letters to insert, delete, replace, or exchange with their neighbour (optimal string alignment): `rotues` is nearer to
    /// `routes` than to `roles`.
    package static func between(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var before: [Int] = []
        var row = Array(0...b.count)
        for i in a.indices {
            var next = [i + 1]
            for j in b.indices {
                var least = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[b.count]
    }
}
