# Two commands matter: `make demo` and `make test`. Both install the system libraries that are missing.

SWIFT ?= swift
JOBS ?= 2
# How many tests run at a time. They open bridges and wait for each other's clients; all at once would starve each.
WIDTH ?= 8
# For `make fuzz` and `make simulate`.
INPUTS ?= 2000000
REQUESTS ?= 200000
FILES ?= 400
CLIENTS ?= 16
SEEDS ?= 10000
SEED ?= 1
# The engine of the simulated bridges' store: sqlite for one bridge, postgresql for two.
STORE ?= sqlite
# For `make soak`, beside SEED and CLIENTS.
MINUTES ?= 60
# For `make parity`.
HISTORIES ?= 1000
DIALECT ?= 3.2
BUILD := $(SWIFT) build -j $(JOBS)
PACKAGES := libcrypt-dev libpq-dev libsqlite3-dev zlib1g-dev libjavascriptcoregtk-4.1-dev pkg-config curl patch
# For the tests alone, which start a server of their own or use the one that DUALGAUGE_POSTGRES names.
test sanitize simulate: PACKAGES += postgresql
SOURCES := Package.swift Sources Tests samples/app/Package.swift samples/app/Sources

.PHONY: demo sample test sanitize fuzz simulate parity build release bench bench-scale soak docs docs-api commands lint format system clean

demo: system ## The main job on samples/shop: old and new clients converge through a migration; `make test` goes on with this build
	$(BUILD) --product dualgauge
	.build/debug/dualgauge demo --sample samples/shop $(if $(DEMO_KEEP),--keep)

sample: system ## The sample app as an app of both generations, at a bridge for samples/shop (samples/app/README.md)
	$(BUILD) --product dualgauge
	$(BUILD) --package-path samples/app --scratch-path .build-sample
	samples/app/run.sh .build/debug/dualgauge .build-sample/debug/ShopApp

test: system ## Every test
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) $(SWIFT) test -j $(JOBS)

sanitize: system ## The tests under the thread sanitizer, without those that provoke traps or measure silence
	TSAN_OPTIONS="suppressions=$(CURDIR)/.ci/thread-sanitizer.supp" \
	  SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) $(SWIFT) test -j $(JOBS) --sanitize=thread -Xswiftc -DDUALGAUGE_TSAN \
	  --scratch-path .build-tsan --skip SupervisorTests --skip IdleTests --skip RecordingTests

fuzz: system ## INPUTS damaged inputs to each parser, REQUESTS to living bridges, FILES to programs, from SEED on (docs/fuzzing.md)
	DUALGAUGE_FUZZ_SEED=$(SEED) DUALGAUGE_FUZZ_INPUTS=$(INPUTS) DUALGAUGE_FUZZ_REQUESTS=$(REQUESTS) DUALGAUGE_FUZZ_FILES=$(FILES) \
	  DUALGAUGE_FUZZ_CLIENTS=$(CLIENTS) DUALGAUGE_FUZZ_PATIENCE=10 DUALGAUGE_FUZZ_ONLY=$(ONLY) DUALGAUGE_FUZZ_FILE=$(FILE) \
	  $(SWIFT) test -j $(JOBS) -c release -Xswiftc -enable-testing --filter $(if $(ONLY)$(FILE)$(LIVE),LiveFuzzTests,FuzzTests)

simulate: system ## SEEDS simulated fleets, from SEED on, with the bridge's store in STORE (docs/simulation.md)
	DUALGAUGE_SIMULATION_SEEDS=$(SEEDS) DUALGAUGE_SIMULATION_SEED=$(SEED) DUALGAUGE_SIMULATION_STORE=$(STORE) $(SWIFT) test -j $(JOBS) -c release -Xswiftc -enable-testing --filter SimulationTests

parity: system ## HISTORIES random histories beside the Sync Gateway at PUBLIC and ADMIN, from SEED on (docs/parity.md)
	DUALGAUGE_PARITY_PUBLIC=$(PUBLIC) DUALGAUGE_PARITY_ADMIN=$(ADMIN) DUALGAUGE_PARITY_DIALECT=$(DIALECT) \
	  DUALGAUGE_PARITY_HISTORIES=$(HISTORIES) DUALGAUGE_PARITY_SEED=$(SEED) $(SWIFT) test -j $(JOBS) --filter ParityTests.GatewayTests

build: system ## .build/release/dualgauge
	$(BUILD) -c release --product dualgauge

release: VERSION = $(shell sed -n 's/.*current = "\(.*\)"/\1/p' Sources/BridgeConfiguration/ServerVersion.swift)
release: TOOLCHAIN = $(shell $(SWIFT) -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift".*/\1/p')
release: export DUALGAUGE_COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
release: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
release: system ## dist/: the program, its symbols, the .deb, a bill of materials and checksums (docs/install.md)
	$(BUILD) -c release --static-swift-stdlib --product dualgauge
	.build/release/dualgauge --experimental-dump-help | packaging/docs/commands.py --check docs/commands.md
	rm -rf dist && mkdir dist
	objcopy --only-keep-debug --compress-debug-sections .build/release/dualgauge dist/dualgauge.debug
	strip -o dist/dualgauge .build/release/dualgauge
	$(SWIFT) package show-dependencies --format json > .build/dependencies.json
	packaging/sbom.py $(VERSION) --swift "$$($(SWIFT) --version 2>&1)" --notices dist/NOTICES $(TOOLCHAIN)/share/swift/LICENSE.txt \
	  < .build/dependencies.json > dist/dualgauge.cdx.json
	BACKTRACER=$(TOOLCHAIN)/libexec/swift/linux/swift-backtrace-static NOTICES=dist/NOTICES packaging/deb/build.sh dist/dualgauge $(VERSION) dist
	cd dist && sha256sum * > SHA256SUMS

bench: build ## Documents a second of each path, beside a plain SQLite insert in the same run
	$(BUILD) -c release --product dualgauge-bench
	.build/release/dualgauge-bench $(BENCH)

bench-scale: build ## Costs that grow with the size of a database (docs/performance.md)
	$(BUILD) -c release --product dualgauge-bench
	.build/release/dualgauge-bench scale $(SCALE)

soak: CLIENTS = 2000
soak: build ## MINUTES of load by CLIENTS of all kinds, with troubles (docs/soak.md)
	$(BUILD) -c release --product dualgauge-bench
	$(BUILD) -c release --product Troubles
	.build/release/dualgauge-bench soak --minutes $(MINUTES) --clients $(CLIENTS) --seed $(SEED) $(SOAK)

# The program whose help docs/commands.md has: the one that was built last.
PROGRAM ?= $(firstword $(shell ls -t .build/debug/dualgauge .build/release/dualgauge 2>/dev/null))
SPHINX := .build-docs/venv/bin/sphinx-build

docs: $(SPHINX) ## dist/site: the documentation as a static site. A dead link fails, and so does a stale docs/commands.md
	$(if $(PROGRAM),$(PROGRAM) --experimental-dump-help | packaging/docs/commands.py --check docs/commands.md,@echo "No program is built: docs/commands.md is not compared with it.")
	.build-docs/venv/bin/python packaging/docs/pages.py .build-docs/pages
	rm -rf dist/site
	$(SPHINX) -q --fail-on-warning --keep-going --fresh-env -b html -d .build-docs/doctrees -c packaging/docs .build-docs/pages dist/site
	@echo "The site is in dist/site: open dist/site/index.html"

DOCC ?= docc
PRODUCTS := LocalStore LegacyClient ModernClient
GRAPHS := $(CURDIR)/.build-docs/symbol-graphs

docs-api: system ## dist/api: the documentation of the products for apps. A dead link fails, and so does an undocumented parameter
	rm -rf dist/api $(addprefix $(GRAPHS)/,$(PRODUCTS))
	mkdir -p dist/api $(GRAPHS)/all $(addprefix $(GRAPHS)/,$(PRODUCTS))
	set -e; for product in $(PRODUCTS); do \
	  $(BUILD) --target $$product --scratch-path .build-docs/build -Xswiftc -emit-symbol-graph \
	    -Xswiftc -emit-symbol-graph-dir -Xswiftc $(GRAPHS)/all -Xswiftc -emit-extension-block-symbols; \
	  find $(GRAPHS)/all '(' -name "$$product.symbols.json" -o -name "$$product@*.symbols.json" ')' -exec cp {} $(GRAPHS)/$$product ';'; \
	  $(DOCC) convert Sources/$$product/$$product.docc --additional-symbol-graph-dir $(GRAPHS)/$$product \
	    --fallback-display-name $$product --fallback-bundle-identifier dualgauge.$$product --warnings-as-errors \
	    --output-path dist/api/$$product.doccarchive; \
	done

$(SPHINX): packaging/docs/requirements.txt
	rm -rf .build-docs/venv
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make docs needs Python 3.11 or newer"; exit 1; }
	python3 -m venv .build-docs/venv || { rm -rf .build-docs/venv; echo "On Debian: apt-get install python3-venv"; exit 1; }
	.build-docs/venv/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

commands: ## docs/commands.md, from the help of the program that was built last
	@test -n "$(PROGRAM)" || { echo "Build the program first: make build"; exit 1; }
	$(PROGRAM) --experimental-dump-help | packaging/docs/commands.py docs/commands.md

lint: ## Style, and the sizes of files
	@! git grep -nE '^(<{7} |>{7} )'
	$(SWIFT) format lint --strict -r $(wildcard $(SOURCES))
	.ci/figures

format: ## Mend style
	$(SWIFT) format -i -r $(wildcard $(SOURCES))

system: ## System libraries that are missing (Debian, Ubuntu)
	@missing=""; for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "Installing:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then run=""; else run=sudo; fi; \
	  $$run apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$run apt-get install -y -qq $$missing >/dev/null; \
	fi
	@command -v $(SWIFT) >/dev/null || { echo "Swift 6.2 or newer is needed: see https://www.swift.org/install/linux/"; exit 1; }

clean:
	rm -rf .build .build-docs .build-sample
