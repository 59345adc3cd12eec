extension BLIPProperties {
    /// Decodes a block of properties from a peer.
    ///
    /// - Throws: `propertiesTooLong`; `malformedProperties` unless the block is an even number of NUL-terminated UTF-8 strings with unique
    ///   keys, within the limits.
    package init(decoding block: UnsafeRawBufferPointer, limits: BLIPLimits = BLIPLimits()) throws(BLIPError) {
        guard block.count <= limits.maxPropertiesSize else {
            throw .propertiesTooLong(block.count, limit: limits.maxPropertiesSize)
        }
        if let fault = Self.fault(in: block, maxCount: limits.maxPropertyCount) {
            throw BLIPError(.malformedProperties, fault)
        }
        self.init(validated: Array(block))
    }

    /// Checks that a peer accepts these properties.
    func validateForSending(_ limits: BLIPLimits) throws(BLIPError) {
        guard encoded.count <= limits.maxPropertiesSize else {
            throw .propertiesTooLong(encoded.count, limit: limits.maxPropertiesSize)
        }
        guard !hasStrayNUL else {
            throw BLIPError(.malformedProperties, "a property to send holds a NUL character, which ends a string on the wire")
        }
    }

    private static func fault(in block: UnsafeRawBufferPointer, maxCount: Int) -> String? {
        guard let last = block.last else { return nil }
        guard last == 0 else {
            return "the properties do not end with a NUL"
        }
        guard block.isASCII || String(validating: block, as: UTF8.self) != nil else {
            return "the properties are not UTF-8"
        }
        return withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: Swift.max(maxCount, 0)) { keys in
            keyFault(in: block.bindMemory(to: UInt8.self), keys: keys)
        }
    }

    /// Checks the sequence of keys and values, and returns an error message; `keys` is scratch space for the maximum number of keys.
    private static func keyFault(
        in block: UnsafeBufferPointer<UInt8>, keys: UnsafeMutableBufferPointer<Range<Int>>,
    ) -> String? {
        var cursor = StringCursor(block)
        var count = 0
        while let key = cursor.next() {
            guard cursor.next() != nil else {
                return "the last property has no value"
            }
            guard count < keys.count else {
                return "there are more than \(keys.count) properties"
            }
            for earlier in keys[..<count] where earlier.count == key.count && block[earlier].elementsEqual(block[key]) {
                return "the property '\(String(decoding: block[key], as: UTF8.self).prefix(100))' appears twice"
            }
            keys[count] = key
            count += 1
        }
        return nil
    }
}

extension BLIPError {
    /// The error for properties of `size` bytes with a maximum of `limit`.
    static func propertiesTooLong(_ size: some BinaryInteger, limit: Int) -> BLIPError {
        BLIPError(.propertiesTooLong, "the properties have \(size) bytes; at most \(limit) are allowed")
    }
}

extension UnsafeRawBufferPointer {
    /// Whether every byte is below 128. Tests eight bytes at a time.
    var isASCII: Bool {
        var bits: UInt64 = 0
        var position = 0
        while position + 8 <= count {
            bits |= loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < count {
            bits |= UInt64(self[position])
            position += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
