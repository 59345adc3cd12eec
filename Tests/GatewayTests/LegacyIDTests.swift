import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Legacy IDs")
struct LegacyIDTests {
    private func stripping() async throws -> Fixture {
        try await Fixture {
            try $0.add("sales.orders")
            try $0.route(.idPrefix("order::"), to: "sales.orders", strip: true)
        }
    }

    @Test("order::17 becomes 17 in sales.orders; the legacy ID is kept")
    func strip() async throws {
        let fixture = try await stripping()
        let orders = try fixture.collection("sales.orders")
        try await fixture.unified.push("order::17", "1-aa", body: #"{"n":1}"#)
        #expect(try await orders.current("17") == #"1-aa {"n":1}"#)
        #expect(try await orders.current("order::17") == nil)
        #expect(try await fixture.unified.current("17") == nil)
        try await orders.pushModern("17", "2-bb", "1-aa", body: #"{"n":2}"#)
        #expect(try await fixture.unified.current("order::17") == #"2-bb {"n":2}"#)
        #expect(try await fixture.unified.feed() == ["order::17@2-bb"])
        #expect(try await orders.feed() == ["17@2-bb"])
        try await fixture.expectSound()
    }

    @Test("The legacy ID is derived the same way for documents that modern clients create")
    func derived() async throws {
        let fixture = try await stripping()
        try await fixture.collection("sales.orders").pushModern("18", "1-aa")
        #expect(try await fixture.unified.feed() == ["order::18@1-aa"])
        try await fixture.unified.push("order::18", "2-bb", "1-aa")
        #expect(try await fixture.collection("sales.orders").feed() == ["18@2-bb"])
        try await fixture.expectSound()
    }

    @Test("Modern clients may use one ID in two collections; the second one's legacy ID is then qualified, sales.orders::17")
    func qualified() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders", "sales.bills") }
        let (orders, bills) = (try fixture.collection("sales.orders"), try fixture.collection("sales.bills"))
        try await fixture.unified.push("17", "1-aa", body: #"{"n":1}"#)
        try await orders.pushModern("17", "1-bb", body: #"{"n":2}"#)
        try await bills.pushModern("17", "1-cc", body: #"{"n":3}"#)
        #expect(try await fixture.unified.feed() == ["17@1-aa", "sales.orders::17@1-bb", "sales.bills::17@1-cc"])
        #expect(try await orders.current("17") == #"1-bb {"n":2}"#)
        #expect(try await fixture.unified.current("17") == #"1-aa {"n":1}"#)
        try await fixture.unified.push("sales.orders::17", "2-dd", "1-bb", body: #"{"n":4}"#)
        #expect(try await orders.current("17") == #"2-dd {"n":4}"#)
        #expect(try await bills.current("17") == #"1-cc {"n":3}"#)
        try await fixture.expectSound()
    }

    @Test("Never an overwrite: a legacy document whose place is taken stays in the default collection")
    func taken() async throws {
        let fixture = try await stripping()
        let orders = try fixture.collection("sales.orders")
        try await fixture.collection("_default._default").pushModern("order::17", "1-aa", body: #"{"n":1}"#)
        try await orders.pushModern("17", "1-bb", body: #"{"n":2}"#)
        #expect(try await fixture.unified.feed() == ["order::17@1-aa", "sales.orders::order::17@1-bb"])
        try await fixture.unified.push("order::17", "2-cc", "1-aa", body: #"{"n":3}"#)
        #expect(try await orders.current("17") == #"1-bb {"n":2}"#)
        #expect(try await fixture.collection("_default._default").current("order::17") == #"2-cc {"n":3}"#)
        try await fixture.expectSound()
    }
}
