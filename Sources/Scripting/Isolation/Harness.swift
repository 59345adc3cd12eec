/// The JavaScript that surrounds every function: it takes away what a function has no use for, freezes what is left, defines the
/// host functions of the function's kind, and turns each call's outcome into one string.
///
/// An outcome is a letter and a text. `E` is an exception (line, `:`, column, `:`, text), `M` out of memory, `L` a result over the limit, `B` a bad
/// result (text); the other letters belong to the kinds, in whose sections they are listed. No JSON reader is needed on our side.
enum Harness {
    /// What the function's source is called in JavaScript, which tells its errors' lines from the harness's.
    static let functionName = "function"

    /// An expression that gives `function (kind, resultLimit, stringLimit)`, which gives `function bind(value, isException)`:
    /// from a function it makes the callable one, from what a script threw while it was loaded an outcome.
    static let source = #"""
        (function (kind, resultLimit, stringLimit) {
        "use strict";
        const functionName = "\#(functionName)";
        const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
        const { freeze, keys } = Object, { isArray } = Array, { stringify, parse } = JSON, { parse: parseDate } = Date;
        const { slice, startsWith, indexOf, normalize } = String.prototype, { test } = RegExp.prototype;
        const { trunc } = Math, { toString: describeKind } = Object.prototype;
        const OutOfMemory = RangeError, BadType = TypeError, AnyError = Error, Text = String, Numeric = Number, Pending = Promise, global = globalThis;

        """# + realm + outcomes + kinds + resolvers + #"""

            const make = { predicate, filter, sync, resolver }[kind];
            harden();

            return function (value, isException) {
                if (isException) return failure(value);
                if (typeof value !== "function") return "Bthe script is not a function, but " + (value === null ? "null" : typeof value);
                const type = apply(describeKind, value, []);
                if (type !== "[object Function]") return "Bthe script must be a plain function, but is " + type;
                freeze(value);
                if (value.prototype) freeze(value.prototype);
                const call = make(value);
                return function (a, b, c, d, e) {
                    try {
                        return call(a, b, c, d, e);
                    } catch (error) {
                        return failure(error);
                    } finally {
                        for (const key in global) deleteProperty(global, key);
                    }
                };
            };
            })
            """#
}

extension Harness {
    /// Failures as outcomes. What a script throws is described without trusting it: a getter that throws is caught here, one that loops
    /// ends with the time limit.
    static let outcomes = #"""
        function shorten(text) {
            return text.length > 1000 ? apply(slice, text, [0, 1000]) + "..." : text;
        }

        function place(number) {
            return typeof number === "number" && number > 0 && number < 1e9 ? trunc(number) : 0;
        }

        function failure(error) {
            let line = 0, column = 0, text = "a value that cannot be described";
            try {
                if (error instanceof AnyError) {
                    if (error.sourceURL === functionName) {
                        line = place(error.line);
                        column = place(error.column);
                    }
                    const message = Text(error.message);
                    if (error instanceof OutOfMemory && apply(startsWith, message, ["Out of memory"])) return "M" + shorten(message);
                    text = Text(error.name) + ": " + message;
                } else if (typeof error === "object" && error !== null) {
                    text = "an object was thrown: " + (stringify(error) || Text(error));
                } else if (typeof error === "string") {
                    text = error;
                } else {
                    text = Text(error) + " was thrown";
                }
            } catch (_) {}
            return "E" + line + ":" + column + ":" + shorten(text);
        }

        """#
}
