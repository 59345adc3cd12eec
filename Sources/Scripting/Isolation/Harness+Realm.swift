extension Harness {
    /// The restrictions of a function's global environment.
    ///
    /// - Globals that are not listed are deleted. All others are frozen, so that calls cannot pass state to later ones. Undeclared variables of
    ///   sloppy functions work, and are deleted after the call.
    /// - Methods that create strings of any length in one native operation, which no time limit interrupts, get a limit.
    /// - A frozen `Object.prototype` would also make `merged.toString = 1` fail on ordinary objects. Its properties, and those of the errors'
    ///   prototypes, therefore become accessors that define the property on the object itself.
    static let realm = #"""
        function hide(object, name, value) {
            defineProperty(object, name, { value, writable: false, enumerable: false, configurable: false });
        }

        function bounded(length) {
            if (length > stringLimit) throw new OutOfMemory("Out of memory: a string of " + length + " characters");
        }

        function harden() {
            const kept = new Set(["NaN", "Infinity", "undefined", "globalThis", "isNaN", "isFinite", "parseInt", "parseFloat", "escape",
                "unescape", "encodeURI", "encodeURIComponent", "decodeURI", "decodeURIComponent", "Object", "Function", "Array", "String",
                "Number", "Boolean", "BigInt", "Symbol", "Date", "Math", "JSON", "RegExp", "Map", "Set", "WeakMap", "WeakSet", "Iterator",
                "Proxy", "Reflect", "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError",
                "AggregateError"]);
            for (const key of ownKeys(global)) if (!kept.has(key)) delete global[key];
            for (const key of ownKeys(RegExp)) {
                if (key !== "prototype" && key !== "name" && key !== "length" && typeof key === "string") delete RegExp[key];
            }

            const { repeat, padStart, padEnd } = String.prototype, { join } = Array.prototype;
            const limited = {
                repeat(count) { count = +count; bounded(count * Text(this).length); return apply(repeat, this, [count]); },
                padStart(length, fill) { length = +length; bounded(length); return apply(padStart, this, [length, fill]); },
                padEnd(length, fill) { length = +length; bounded(length); return apply(padEnd, this, [length, fill]); },
            };
            for (const name of keys(limited)) hide(String.prototype, name, limited[name]);
            hide(Array.prototype, "join", {
                join(separator) {
                    const between = separator === undefined ? "," : Text(separator);
                    bounded(this.length * between.length);
                    return apply(join, this, [between]);
                }
            }.join);

            const quiet = { log() {} }.log;
            hide(global, "log", quiet);
            hide(global, "console", { log: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, trace: quiet });

            const reached = new Set(), found = [];
            const reach = value => {
                if (value === null || (typeof value !== "object" && typeof value !== "function") || reached.has(value)) return;
                reached.add(value);
                found.push(value);
            };
            const hidden = [function* () {}, async function () {}, async function* () {}, [].values(), new Map().values(), new Set().values(),
                ""[Symbol.iterator](), /x/[Symbol.matchAll](""), Pending, [].values().map(x => x), Iterator.from({ next() {} })];
            reach(global);
            hidden.forEach(reach);
            for (let i = 0; i < found.length; i++) {
                reach(getPrototypeOf(found[i]));
                for (const key of ownKeys(found[i])) {
                    const { value, get, set } = getOwnPropertyDescriptor(found[i], key);
                    reach(value);
                    reach(get);
                    reach(set);
                }
            }
            for (const prototype of found) {
                if (prototype !== Object.prototype && !(prototype instanceof Error) && prototype !== Error.prototype) continue;
                for (const key of ownKeys(prototype)) {
                    const { value, configurable, get } = getOwnPropertyDescriptor(prototype, key);
                    if (!configurable || get) continue;
                    const accessor = {
                        get() { return value; },
                        set(replacement) {
                            if (this === prototype || this === null || (typeof this !== "object" && typeof this !== "function")) return;
                            defineProperty(this, key, { value: replacement, writable: true, enumerable: true, configurable: true });
                        },
                    };
                    freeze(accessor.get);
                    freeze(accessor.set);
                    defineProperty(prototype, key, { get: accessor.get, set: accessor.set, enumerable: false, configurable: false });
                }
            }
            for (const object of found) {
                if (object !== global) freeze(object);
            }
            for (const key of ownKeys(global)) {
                const property = getOwnPropertyDescriptor(global, key);
                if (property.configurable) hide(global, key, property.value);
            }
        }

        """#
}
