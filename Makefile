# A newcomer needs two commands: `make run` and `make test`. Everything longer than a line is in scripts/.
# SWIFT_FLAGS reaches every Swift build, for example: make test SWIFT_FLAGS="-Xswiftc -warnings-as-errors"
SWIFT_FLAGS ?=
# TEST_FLAGS are those of the debug build, with which the Swift tests run. The C code for pictures is optimised a little,
# because one of its tests would take minutes otherwise.
TEST_FLAGS ?= -Xcc -O1
# The address sanitizer watches the daemon's modules in debug builds.
export FIRSTLIGHT_ADDRESS_SANITIZER := yes
DAEMON := .build/release/firstlightd
PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup build run test demo count vm-test bench soak proto format lint clean

help: ## Lists every target.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs what is missing: Debian packages, and .venv with the Python client and the test tools.
	@scripts/setup

build: setup ## Builds the release binary, .build/release/firstlightd.
	swift build -c release --static-swift-stdlib --product firstlightd $(SWIFT_FLAGS)

run: build ## Starts the daemon with a real camera if there is one, else with a synthetic one. ARGS="..." are its flags.
	$(DAEMON) serve $(ARGS)

test: build ## Runs all tests: Swift Testing beside each module, pytest against the real binary.
	scripts/test $(TEST_FLAGS) $(SWIFT_FLAGS)

demo: build ## Does the main job without a person: first frame, photo, two cameras in one, pressure. Files are in out/.
	$(PYTHON) -m firstlight.demo --daemon $(DAEMON) --out out

count: build ## Counts the work of a launch, a frame and a photo. ARGS="--write" commits the figures.
	@scripts/setup build test count
	scripts/count $(ARGS)

# With ARGS=kernel it leaves out those that `make test` runs with preloaded cameras.
vm-test: build ## Runs the tests with V4L2 cameras on a real kernel, in a virtual machine. ARGS="..." chooses among them.
	@scripts/setup build test vm
	swift build --build-tests --disable-xctest $(TEST_FLAGS) $(SWIFT_FLAGS)
	scripts/vm-test $(ARGS)

bench: build ## Measures the daemon beside its peers, prints ratios, fails when a bound is missed.
	@scripts/setup build test bench
	scripts/bench

soak: build ## Runs the slow tests, such as an hour of recording and half an hour of heat.
	@scripts/setup build test soak
	$(PYTHON) -m pytest Tests/Acceptance -m slow -rP
	FIRSTLIGHT_FUZZ_SEQUENCES=50000 FIRSTLIGHT_WALK_COMMITS=25000 ASAN_OPTIONS=detect_leaks=0:malloc_context_size=1 \
	  swift test --disable-xctest --filter 'SessionFuzzTests|CameraWalkTests' $(TEST_FLAGS) $(SWIFT_FLAGS)
	@scripts/setup vm
	scripts/vm-test -m slow -rP

proto: setup ## Generates the Swift and Python code from proto/.
	scripts/generate-protos $(TEST_FLAGS) $(SWIFT_FLAGS)

format: ## Formats Swift, C, C++ and Python.
	@scripts/setup build test lint
	scripts/format

lint: ## Checks style, contract, imports, and that generated code is up to date.
	@scripts/setup build test lint
	scripts/lint $(TEST_FLAGS) $(SWIFT_FLAGS)

clean: ## Removes what was built: .build, .venv, out.
	rm -rf .build .venv out
