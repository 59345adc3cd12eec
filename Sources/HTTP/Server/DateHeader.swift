import Foundation
import Synchronization

/// The `Date` header's value, made once a second.
enum DateHeader {
    private static let cached = Mutex((second: Int64(0), text: ""))

    static func now() -> String {
        let second = Int64(Date().timeIntervalSince1970)
        return cached.withLock { cached in
            if cached.second != second { cached = (second, HTTPDate.format(second)) }
            return cached.text
        }
    }
}
