import Gateway
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Rows of _changes")
struct ChangesEncoderTests {
    private func row(
        id: String = "a", leaves: [String] = [], isDeleted: Bool = false, departure: ChangeRow.Departure? = nil,
        trigger: SequenceNumber? = nil
    ) -> ChangeRow {
        var row = ChangeRow(
            sequence: SequenceNumber(5), id: id, revision: "3-ddd", otherLeaves: leaves, isDeleted: isDeleted, departure: departure,
            bodySize: 0)
        row.trigger = trigger
        return row
    }

    private func encode(_ row: ChangeRow, document: String? = nil, escapingBrackets: Bool = false) -> String {
        let encoder = ChangesEncoder(escapesBrackets: escapingBrackets)
        var body = SegmentedBody()
        if let document {
            var json = SegmentedBody()
            json.append { $0 += document.utf8 }
            encoder.append(row, document: json, to: &body)
        } else {
            body.append { encoder.append(row, to: &$0) }
        }
        return String(decoding: body.bytesAtHand, as: UTF8.self)
    }

    @Test("Rows of live documents, tombstones, removals, all leaves and documents have Sync Gateway's bytes")
    func forms() {
        #expect(encode(row()) == #"{"seq":5,"id":"a","changes":[{"rev":"3-ddd"}]}"#)
        #expect(encode(row(isDeleted: true)) == #"{"seq":5,"id":"a","deleted":true,"changes":[{"rev":"3-ddd"}]}"#)
        #expect(encode(row(departure: .moved)) == #"{"seq":5,"id":"a","removed":["*"],"changes":[{"rev":"3-ddd"}]}"#)
        #expect(encode(row(departure: .removed(["a", "b"]))) == #"{"seq":5,"id":"a","removed":["a","b"],"changes":[{"rev":"3-ddd"}]}"#)
        #expect(encode(row(trigger: SequenceNumber(9))) == #"{"seq":"9:5","id":"a","changes":[{"rev":"3-ddd"}]}"#)
        #expect(encode(row(leaves: ["3-ccc", "2-x"])) == #"{"seq":5,"id":"a","changes":[{"rev":"3-ddd"},{"rev":"3-ccc"},{"rev":"2-x"}]}"#)
        #expect(encode(row(), document: #"{"_id":"a"}"#) == #"{"seq":5,"id":"a","doc":{"_id":"a"},"changes":[{"rev":"3-ddd"}]}"#)
    }

    @Test("IDs are escaped as JSON requires, and brackets are escaped only for the feed that .NET reads")
    func escapes() {
        #expect(encode(row(id: "z]q\"ü\u{1}")) == #"{"seq":5,"id":"z]q\"ü\u0001","changes":[{"rev":"3-ddd"}]}"#)
        #expect(encode(row(id: "z]q["), escapingBrackets: true) == #"{"seq":5,"id":"z\u005dq\u005b","changes":[{"rev":"3-ddd"}]}"#)
    }
}
