import Documents
import Storage
import StoreCopy
import Testing

@Suite("The beginning of a copy")
struct CopyBeginningTests {
    private static let uuid = [UInt8](repeating: 7, count: 16)
    private static let other = [UInt8](repeating: 8, count: 16)

    private static func record(_ copy: String, of uuid: [UInt8] = uuid) -> CopyRecord {
        CopyRecord(copy: copy, source: "a", store: Hex.text(uuid))
    }

    private static let outgoing: [OutgoingCopy?] = [nil, OutgoingCopy(copy: "1", target: "b"), OutgoingCopy(copy: "1", target: "c")]
    private static let moved: [MovedMark?] = [
        nil, MovedMark(copy: "1", target: "b"), MovedMark(copy: "1", target: "c"), MovedMark(copy: "2", target: "b"),
    ]
    private static let contents: [CopyTargetContent] = [
        .empty, .unfinished(record("1")), .unfinished(record("2")), .unfinished(record("1", of: other)), .store(uuid: uuid, moved: nil),
        .store(uuid: uuid, moved: MovedMark(copy: "9", target: "a")), .store(uuid: other, moved: nil),
        .store(uuid: other, moved: MovedMark(copy: "9", target: "a")),
    ]

    private func outcome(_ outgoing: OutgoingCopy?, _ moved: MovedMark?, _ content: CopyTargetContent) -> String {
        do {
            let ends = CopyEnds(source: "a", target: "b", uuid: Self.uuid, outgoing: outgoing, moved: moved, content: content)
            switch try ends.beginning() {
            case .fresh: return "fresh"
            case .replacing: return "replacing"
            case .resumed: return "resumed"
            case .completing: return "completing"
            case .done: return "done"
            }
        } catch {
            return error.code.rawValue
        }
    }

    @Test("Each combination of marks and contents has one outcome")
    func all() {
        // The rows: the contents in order; the columns: no copy, a copy to this target, a copy to another target.
        let unmoved = [
            ["fresh", "fresh", "elsewhere"], ["unrelated", "resumed", "resumed"], ["unrelated", "unrelated", "unrelated"],
            ["occupied", "occupied", "occupied"], ["occupied", "done", "occupied"], ["replacing", "replacing", "elsewhere"],
            ["occupied", "occupied", "occupied"], ["occupied", "occupied", "occupied"],
        ]
        for (content, expected) in zip(Self.contents, unmoved) {
            #expect(Self.outgoing.map { outcome($0, nil, content) } == expected, "\(content)")
        }
        // A moved source: the columns are the marks.
        let moved = [
            ["elsewhere", "elsewhere", "elsewhere"], ["completing", "completing", "elsewhere"], ["elsewhere", "elsewhere", "completing"],
            ["completing", "completing", "elsewhere"], ["done", "elsewhere", "done"], ["elsewhere", "elsewhere", "elsewhere"],
            ["elsewhere", "elsewhere", "elsewhere"], ["elsewhere", "elsewhere", "elsewhere"],
        ]
        for outgoing in Self.outgoing {
            for (content, expected) in zip(Self.contents, moved) {
                #expect(Self.moved.dropFirst().map { outcome(outgoing, $0, content) } == expected, "\(content)")
            }
        }
    }

    @Test("A copy that another version has begun, with other tables, is not continued")
    func otherLayout() {
        let record = CopyRecord(copy: "1", source: "a", store: Hex.text(Self.uuid), layout: "other")
        #expect(outcome(Self.outgoing[1], nil, .unfinished(record)) == "unrelated")
        #expect(outcome(Self.outgoing[1], Self.moved[1], .unfinished(record)) == "unrelated")
    }

    @Test("A refusal names both places and the command")
    func messages() throws {
        let ends = CopyEnds(source: "a", target: "b", uuid: Self.uuid, outgoing: Self.outgoing[2], moved: nil, content: .empty)
        #expect(throws: StoreCopyError.self) { try ends.beginning() }
        do {
            _ = try ends.beginning()
        } catch {
            #expect(error.message.contains("dualgauge copy --release"))
        }
    }
}
