import Foundation
import Storage
import Stores
import TestSupport
import Testing

@Suite("The places of stores")
struct StoreLocationTests {
    @Test("A text without a scheme of PostgreSQL is a folder")
    func folder() throws {
        #expect(try StoreLocation("./shop.dualgauge") == .folder("./shop.dualgauge"))
        #expect(try StoreLocation("./shop.dualgauge").name == "shop")
        #expect(try !StoreLocation("./shop.dualgauge").isShared)
    }

    @Test("The parameter `schema` names the schema, and libpq does not get it")
    func schema() throws {
        let location = try StoreLocation("postgres://anna@db1,db2:5432/shops?sslmode=verify-full&schema=north%20shop&connect_timeout=3")
        #expect(location.name == "north shop")
        #expect(location.named("other") == location)
        #expect("\(location)" == "postgres://anna@db1,db2:5432/shops?sslmode=verify-full&connect_timeout=3&schema=north%20shop")
        #expect(try StoreLocation("postgres://anna@db1/shops").named("shop").name == "shop")
    }

    @Test(
        "No description has a password",
        arguments: [
            "postgres://anna:s3cret@db/shops", "postgresql://anna@db/shops?password=s3cret&sslmode=require",
            "postgres://anna@db/shops?sslpassword=s3cret", "postgres://anna:a:s3cret@db/shops?schema=x",
        ])
    func password(text: String) throws {
        let location = try StoreLocation(text)
        for description in ["\(location)", String(reflecting: location), dumped(location), try location.identity()] {
            #expect(!description.contains("s3cret"), "\(description)")
        }
    }

    @Test(
        "A malformed address is refused without its password",
        arguments: [
            "postgres://anna:s3/cret@db/shops", "postgres://anna:s3cret@db/shops?nothing=1",
            "postgres://anna:s3cret@db/shops?schema=pg_mine", "postgres://anna:s3cret@db/shops?schema=",
            "postgres://anna:s3cret@db:65536/shops", "postgres://anna:s3cret@db:5432,other:0/shops",
        ])
    func malformed(text: String) throws {
        let error = try #require(throws: StorageError.self) { try StoreLocation(text) }
        #expect(error.code == .invalidArgument)
        #expect(!error.message.contains("s3"), "\(error.message)")
    }

    @Test("Two spellings of one place have one identity")
    func identity() throws {
        let one = try StoreLocation("postgres://anna@db/shops?schema=a").identity()
        #expect(try StoreLocation("postgresql://otto@db/shops?schema=a&sslmode=require").identity() == one)
        #expect(try StoreLocation("postgres://anna@db/shops?schema=b").identity() != one)
        #expect(try StoreLocation("./a/../shop.dualgauge").identity() == StoreLocation("shop.dualgauge").identity())
    }

    private func dumped(_ value: StoreLocation) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
