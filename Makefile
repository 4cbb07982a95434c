# One target per task. Every target works from a fresh clone, without a terminal and without
# questions; scripts/install-dependencies installs what is missing.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
SECONDS ?=
BLUETOOTH ?=
LOGBOOK ?=
WEB ?=
QUICK ?=
FUZZ_SECONDS ?= 60
SOAK_SEEDS ?= 20
SOAK_HOURS ?= 24
POWER_CUTS ?= 50
RECORDER_CUTS ?= 50
RECORDER_KILLS ?= 200
MEASURED ?=
FULL ?=

# An import that Package.swift does not allow is an error.
swift_flags := --explicit-target-dependency-import-check error
# Reproducible builds: docs/decisions/0011-reproducible-builds.md.
same_everywhere := -file-prefix-map $(CURDIR)=. $(foreach flag,-no-clang-module-breadcrumbs -disable-incremental-llvm-codegen,-Xfrontend $(flag))
# Small programs: docs/decisions/0010-small-programs.md.
small := -function-sections -disable-implicit-string-processing-module-import
cxx_archive := .build/cxx
linker_flags := -L$(CURDIR)/$(cxx_archive) --no-export-dynamic --symbol-ordering-file=$(CURDIR)/scripts/link-order --no-warn-symbol-ordering \
  -z pack-relative-relocs -z relro -z now
release_flags := --static-swift-stdlib $(swift_flags) -Xswiftc -use-ld=lld \
  $(foreach flag,$(same_everywhere) $(foreach each,$(small),-Xfrontend $(each)),-Xswiftc $(flag)) $(foreach flag,$(linker_flags),-Xlinker $(flag))
release := .build/release
# SwiftPM compiles tests with other flags. In one directory, `make run` and `make test` would undo
# each other's work.
optimised := .build/optimised
optimised_suites := BlueZRadioTests,CompressionTests,DaemonCoreTests,DeclaredSensorsTests,FleetTests,GuidanceTests,HTTPServingTests,MetricsTests,MQTTTests,PositionTests,SensorProcessesTests,SensorsTests,SpoolTests,WebFramesTests
recorder_suites := CyclometerRecorderTests,RecordingTests,LogbookFilesTests
for_optimised_tests := -c release --scratch-path $(optimised)
lines := .build/lines
# Suites of targets that read no clock and open no files. They build and run in a minute.
pure_suites := ActivityFilesTests,CaptureFormatTests,CommandTableTests,CompressionTests,ConnectionsTests,CyclometerPluginTests,DeclaredSensorsTests,ExpatTests,FleetTests,GuidanceTests,HomeAssistantTests,HTTPTests,IniFileTests,JSONTests,LogbookWireTests,MetricsTests,SensorKitTests,SensorsTests,TextTests,TrainingTests,VocabularyTests,WebFramesTests,WireTests

machine := $(shell dpkg --print-architecture 2>/dev/null)

# Installed files. debian/rules uses these lists too.
programs := $(or $(PROGRAMS),$(release))
units_in = $(wildcard $(foreach kind,service socket path timer,$(1)/*.$(kind)))
# Programs of the optional units.
unit_programs_in = $(filter-out $(call units_in,$(1)) %.conf systemd/optional systemd/recorder systemd/guide systemd/web systemd/mqtt systemd/kiosk,$(wildcard $(1)/*))
units := $(call units_in,systemd)
recorder_units := $(call units_in,systemd/recorder)
guide_units := $(call units_in,systemd/guide)
web_units := $(call units_in,systemd/web)
mqtt_units := $(call units_in,systemd/mqtt)
kiosk_units := $(call units_in,systemd/kiosk)
recorder_man_pages := $(wildcard man/cyclometer-recorder*)
guide_man_pages := $(wildcard man/cyclometer-guide*)
web_man_pages := $(wildcard man/cyclometer-web*)
mqtt_man_pages := $(wildcard man/cyclometer-mqtt*)
man_pages := $(filter-out $(recorder_man_pages) $(guide_man_pages) $(web_man_pages) $(mqtt_man_pages),$(wildcard man/*.[1-9]))
sensor_files := $(wildcard Config/sensors.d/*.sensor)
# The dashboard's page, without the script that makes its icons.
page_files := $(filter-out %/make-icons,$(shell find Sources/Page -type f | LC_ALL=C sort))
# Pages about the sources are useful only with the sources.
pages := README.md $(wildcard docs/pictures/*.svg docs/pictures/*.webp) $(filter-out docs/architecture.md docs/bluez-rules.md docs/performance.md docs/releasing.md docs/writing-a-sensor.md,$(wildcard docs/*.md))
# The targets of CyclometerClient and CyclometerPlugin, as in clients/swift/Package.swift.
swift_modules := CaptureFormat CLinux CyclometerClient CyclometerClientAsync CyclometerPlugin CyclometerSamples JSON Linux LogbookWire Text Time \
  Vocabulary Wire
# The conformance kit. The rest of that directory is for this repository only.
conformance := $(wildcard Tests/Conformance/transcripts/*) Tests/Conformance/README.md Tests/Conformance/not-yet \
  $(patsubst %,Tests/Conformance/%.py,matching not_yet player server transcript)

bindir := $(DESTDIR)$(PREFIX)/bin
sbindir := $(DESTDIR)$(PREFIX)/sbin
libexecdir := $(DESTDIR)$(PREFIX)/libexec/cyclometer
unitdir := $(DESTDIR)$(PREFIX)/lib/systemd/system
sysusersdir := $(DESTDIR)$(PREFIX)/lib/sysusers.d
tmpfilesdir := $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
mandir := $(DESTDIR)$(PREFIX)/share/man
docdir := $(DESTDIR)$(PREFIX)/share/doc/cyclometer
confdir := $(DESTDIR)$(SYSCONFDIR)/cyclometer
includedir := $(DESTDIR)$(PREFIX)/include
pkgconfigdir := $(DESTDIR)$(PREFIX)/share/pkgconfig
# Debian's module path: packages install for every Python 3, /usr/local is for the installed
# version.
pythondir = $(DESTDIR)$(PREFIX)/lib/python$(if $(filter /usr,$(PREFIX)),3,$(shell python3 -c 'print("%d.%d" % __import__("sys").version_info[:2])'))/dist-packages
sharedir := $(DESTDIR)$(PREFIX)/share/cyclometer
# The programs look here, whatever the prefix.
sensorsdir := $(DESTDIR)/usr/share/cyclometer/sensors.d
devdocdir := $(DESTDIR)$(PREFIX)/share/doc/cyclometer-dev
webdocdir := $(DESTDIR)$(PREFIX)/share/doc/cyclometer-web
# Where each shell looks for completions.
bash_completion := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cyclo
zsh_completion := $(DESTDIR)$(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)/_cyclo
fish_completion := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/cyclo.fish

.PHONY: help build build-daemon run test check-lines test-optimised check test-web pictures test-asan test-tsan test-valgrind coverage test-clients test-docs test-differential test-guide test-home-assistant test-fleet test-bluez test-bluez-matrix test-systemd test-powercut test-recorder fuzz soak conformance budgets bench bench-notification bench-decode bench-startup bench-publishing bench-growth bench-guest bench-recorder bench-guide bench-web bench-requests bench-maps bench-processes install install-daemon install-recorder install-guide install-web install-mqtt install-kiosk install-clients uninstall deb release-flags build-arm64 test-arm64 dist test-packages reproduce format accept soundness clean

help: ## Show this
	@echo "Cyclometer: a daemon for Bluetooth bike sensors"
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 26
	@echo
	@echo "  make run SECONDS=30        stop after 30 seconds"
	@echo "  make run BLUETOOTH=1       use this machine's adapter and real sensors"
	@echo "  make run WEB=1             open the dashboard in this desktop's browser"
	@echo "  make run LOGBOOK=demo      with a year of simulated rides, runs and swims"
	@echo "  make run FLEET=5           five simulated bikes, a broker, and a wall that shows them all"
	@echo "  make fuzz FUZZ_SECONDS=3600 for an hour; findings are kept in Fuzz/Findings"
	@echo "  make soak SOAK_SEEDS=1 SOAK_HOURS=2"
	@echo "  make test-web FULL=1       on every screen, and also CPU and memory over a long ride"
	@echo "  make test-guide FULL=1     124 hours of riding instead of 7"
	@echo "  make test-fleet FULL=1     200 receivers, and ten minutes per phase"
	@echo "  make test-powercut POWER_CUTS=5; make test-recorder RECORDER_CUTS=5"
	@echo "  make accept MEASURED=1     also what is measured: the linker's order and the budgets"
	@echo "  make install PREFIX=/usr DESTDIR=/some/root"
	@echo "  make bench QUICK=1         a first impression in minutes; bench-decode and so on: one part"

build: build-daemon ## Build the release programs
	@scripts/install-dependencies build recorder web mqtt
	swift build -c release $(release_flags) --product cyclometer-recorder
	swift build -c release $(release_flags) --product cyclometer-guide
	swift build -c release $(release_flags) --product cyclometer-web
	swift build -c release $(release_flags) --product cyclometer-mqtt

build-daemon: ## Build the daemon and cyclo only, which need neither SQLite nor Expat
	@scripts/install-dependencies build
	@mkdir -p $(cxx_archive) && ln -sf "$$("$$(dirname "$$(readlink -f "$$(command -v swift)")")/clang" -print-file-name=libstdc++.a)" $(cxx_archive)
	swift build -c release $(release_flags) --product cyclometerd
	CYCLOMETER_STATIC=1 swift build -c release $(release_flags) --product cyclo

run: build ## Start everything with a simulated ride, show its values and a link to the dashboard
	$(if $(filter demo,$(LOGBOOK)),swift build -c release $(release_flags) --product make-demo-logbook)
	@$(if $(FLEET),scripts/run-fleet,scripts/run-demo)
# As variables and not through a shell, which would not pass signals on.
run: export SECONDS_TO_RUN = $(SECONDS)
run: export BLUETOOTH := $(BLUETOOTH)
run: export LOGBOOK := $(LOGBOOK)
run: export WEB := $(WEB)
run: export FLEET := $(FLEET)

test: ## Run all fast tests
	@scripts/install-dependencies build test
	@rm -rf $(lines) && mkdir -p $(lines)
	swift build $(swift_flags) --build-tests
	CYCLOMETER_TEST_LINES=$(CURDIR)/$(lines) scripts/test-in-parts "$$(swift build --show-bin-path)/cyclometerPackageTests.xctest" --skip StudyTests
	@# The optimised build uses every core. The others mostly wait, or have one thread.
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target check-lines test-optimised test-clients

# Validate every line that tests sent or received against docs/schema.
check-lines:
	scripts/check-lines $(lines)

# Only optimized code must not allocate, and only it is fast enough for the studies and 10,000 files.
test-optimised:
	CYCLOMETER_TESTS=$(optimised_suites) swift build $(swift_flags) $(for_optimised_tests) -Xswiftc -enable-testing --product cyclometerPackageTests
	CYCLOMETER_TESTS=$(optimised_suites) swift test --disable-xctest $(swift_flags) $(for_optimised_tests) --skip-build --filter "AllocationTests|StudyTests|MutatedFileTests"

check: ## Run the pure suites only (sensors, metrics, records): under a minute after a build
	@scripts/install-dependencies build recorder mqtt
	CYCLOMETER_TESTS=$(pure_suites) swift build $(swift_flags) --product cyclometerPackageTests
	CYCLOMETER_TESTS=$(pure_suites) swift test --disable-xctest $(swift_flags) --skip-build --skip StudyTests

test-clients: ## Run the tests of the clients for Python, C, Node and the shell, of the plugin helpers, and of the pages with commands
	@scripts/install-dependencies build mqtt test clients
	@# The pages use other programs, too.
	swift build $(swift_flags)
	CYCLOMETERD=$$(swift build --show-bin-path)/cyclometerd python3 -m unittest discover --start-directory Tests/Clients

test-web: export FULL := $(FULL)
test-web: ## Test the dashboard in a browser, its page alone and with the real programs
	@scripts/install-dependencies build recorder web mqtt browser maps fronts
	swift build $(swift_flags)
	Tests/Web/run

pictures: ## Take the pictures of the dashboard for README and docs
	@scripts/install-dependencies browser
	Tests/Web/run --pictures

test-asan: ## Run the tests under AddressSanitizer (memory errors and leaks)
	@scripts/install-dependencies build test
	Tests/Sanitizers/run address

test-tsan: ## Run the tests under ThreadSanitizer (data races)
	@scripts/install-dependencies build test
	Tests/Sanitizers/run thread

test-valgrind: build ## Run the daemon and cyclo under valgrind
	@scripts/install-dependencies test clients
	@# cyclo linked dynamically, because valgrind replaces the allocator of a shared libc.
	swift build $(swift_flags) -c release --scratch-path $(optimised) --product cyclo
	Tests/Sanitizers/valgrind $(release)/cyclometerd $(optimised)/release/cyclo

coverage: ## Report which lines of the sources no test runs
	@scripts/install-dependencies build test
	scripts/coverage

test-docs: ## Follow docs/writing-a-sensor.md in a copy of the sources
	@scripts/install-dependencies build test
	Tests/Guide/follow

test-differential: build ## Compare the decoders with independent ones, and have exports read by others
	@scripts/install-dependencies differential
	Tests/Differential/run
	Tests/ActivityDecoders/run
	swift build -c release $(release_flags) --product make-demo-logbook
	Tests/Statistics/run

test-guide: ## Follow routes and segments in simulated rides with known truth
	@scripts/install-dependencies build simulation
	Tests/Guidance/run $(if $(FULL),24,3)
	Tests/Guidance/run-segments $(if $(FULL),100,4)

test-home-assistant: ## Have Home Assistant's own code read the messages for it, with the captures' values
	@scripts/install-dependencies build
	Tests/HomeAssistant/run

test-fleet: build ## Have 20 receivers send to a broker that is killed, cut off, flooded and full
	@scripts/install-dependencies broker
	Tests/Fleet/run $(if $(FULL),--full)

fuzz: export FUZZ_SECONDS := $(FUZZ_SECONDS)
fuzz: ## Fuzz decoders, captures, FIT files, HTTP and sockets
	@scripts/fuzz

test-bluez: build ## Run the tests on a real bluetoothd and kernel, in a virtual machine
	Tests/RealBlueZ/run

test-bluez-matrix: build ## The same with BlueZ and kernel of Debian 12, 13 and sid
	Tests/RealBlueZ/matrix

# Without this, the order of dictionaries differs per process, and a seed does not reproduce its
# ride.
soak: export SWIFT_DETERMINISTIC_HASHING := 1
soak: ## Simulate days of riding with random failures, in virtual time
	@scripts/install-dependencies build test
	swift build $(swift_flags) -c release --scratch-path $(optimised) --product soak
	$(optimised)/release/soak --seeds $(SOAK_SEEDS) --hours $(SOAK_HOURS)

test-systemd: deb ## Install the package in a virtual machine with systemd, and test the service
	Tests/Systemd/run

test-powercut: export POWER_CUTS := $(POWER_CUTS)
test-powercut: build ## Cut the power of a virtual machine while state is written, 50 times
	Tests/RealBlueZ/run power_cut

test-recorder: export POWER_CUTS := $(RECORDER_CUTS)
test-recorder: export FILE_SYSTEMS := ext4 f2fs
test-recorder: export CYCLOMETER_RECORDER_KILLS := $(RECORDER_KILLS)
test-recorder: export SALVAGE_SEEDS := 200
test-recorder: build ## Kill the recorder 200 times, damage 200 logbooks, and cut the power 50 times on ext4 and on F2FS
	@scripts/install-dependencies build test
	@# Optimized code also keeps the limits of allocations and of delays.
	CYCLOMETER_TESTS=$(recorder_suites) swift build $(swift_flags) $(for_optimised_tests) -Xswiftc -enable-testing --product cyclometerPackageTests
	CYCLOMETER_TESTS=$(recorder_suites) swift test --disable-xctest $(swift_flags) $(for_optimised_tests) --skip-build --filter "RecordingAllocationTests|CommitDelayTests|KillTests|SalvageTests"
	@scripts/install-dependencies differential
	Tests/ActivityDecoders/run 21600
	Tests/RealBlueZ/run recorder_cut

conformance: build ## Play the protocol's transcripts and examples against the release daemon
	@scripts/install-dependencies test
	Tests/Conformance/cyclo-conformance --our-own --daemon $(release)/cyclometerd --recorder $(release)/cyclometer-recorder
	Tests/Conformance/try-documents $(release)/cyclometerd

budgets: build ## Compare sizes, memory and instructions with the accepted values
	@scripts/install-dependencies bench
	@Benchmarks/budgets

bench: build ## Measure everything next to comparable programs; the report is .build/bench/report.md
	@scripts/install-dependencies test bench browser
	@Benchmarks/bench $(if $(QUICK),--quick)

bench-notification bench-decode bench-startup bench-publishing bench-growth bench-guest bench-recorder bench-guide bench-web bench-requests bench-maps bench-processes: build # one part, like `Benchmarks/bench PART`
	@scripts/install-dependencies test bench browser
	@Benchmarks/$(@:bench-%=%) $(if $(QUICK),--quick)

test-packages: deb ## Test the Debian packages on a fresh Debian 12 and 13
	@scripts/install-dependencies test-packages
	Tests/Packages/check

# After `make build`, `sudo make install` needs no compiler. PROGRAMS is a directory with programs
# that were built elsewhere.
install: install-daemon install-recorder install-guide install-web install-mqtt ## Install programs, services, configuration, completions and manual pages
	@test -n "$(DESTDIR)" || { echo "Installed. To start it:"; \
	  echo "  sudo systemd-sysusers && sudo systemd-tmpfiles --create cyclometer-recorder.conf cyclometer-mqtt.conf && sudo systemctl daemon-reload"; \
	  echo "  sudo systemctl enable --now cyclometer.socket cyclometerd cyclometer-recorder.socket cyclometer-recorder"; \
	  echo "  sudo systemctl enable --now cyclometer-guide.socket cyclometer-guide"; \
	  echo "  sudo systemctl enable --now cyclometer-web.socket cyclometer-web-http.socket cyclometer-web-front.socket cyclometer-web"; \
	  echo "For an MQTT broker, see man cyclometer-mqtt, then:"; \
	  echo "  sudo systemctl enable --now cyclometer-mqtt.socket cyclometer-mqtt"; }

with_prefix := --with 's\#^(Exec[A-Za-z]*=)/usr/\#\1$(PREFIX)/\#'

install-daemon: ## Install what belongs to the daemon and cyclo
	@test -x $(programs)/cyclometerd -a -x $(programs)/cyclo || { test -z "$(PROGRAMS)" && $(MAKE) build-daemon; }
	install -D -m 755 $(programs)/cyclo $(bindir)/cyclo
	install -D -m 755 $(programs)/cyclometerd $(sbindir)/cyclometerd
	@scripts/install-into $(libexecdir) $(call unit_programs_in,systemd)
	@scripts/install-into $(with_prefix) $(unitdir) $(units)
	install -D -m 644 systemd/cyclometer.sysusers.conf $(sysusersdir)/cyclometer.conf
	@for page in $(man_pages); do scripts/install-into "$(mandir)/man$${page##*.}" "$$page" || exit 1; done
	install -D -m 644 completions/cyclo.bash $(bash_completion)
	install -D -m 644 completions/_cyclo $(zsh_completion)
	install -D -m 644 completions/cyclo.fish $(fish_completion)
	@for page in $(pages); do install -D -m 644 "$$page" "$(docdir)/$$page" || exit 1; done
	@scripts/install-into $(docdir)/examples systemd/optional/*
	@scripts/install-into $(sensorsdir) $(sensor_files)
	install -d $(confdir)/conf.d
	@scripts/install-configuration Config/cyclometer.conf $(confdir)/cyclometer.conf

install-recorder: ## Install what belongs to the recorder
	@test -x $(programs)/cyclometer-recorder || { test -z "$(PROGRAMS)" && $(MAKE) build; }
	install -D -m 755 $(programs)/cyclometer-recorder $(sbindir)/cyclometer-recorder
	@scripts/install-into $(libexecdir) $(call unit_programs_in,systemd/recorder)
	@scripts/install-into $(with_prefix) $(unitdir) $(recorder_units)
	install -D -m 644 systemd/recorder/cyclometer-recorder.sysusers.conf $(sysusersdir)/cyclometer-recorder.conf
	install -D -m 644 systemd/recorder/cyclometer-recorder.tmpfiles.conf $(tmpfilesdir)/cyclometer-recorder.conf
	@for page in $(recorder_man_pages); do scripts/install-into "$(mandir)/man$${page##*.}" "$$page" || exit 1; done
	install -d $(confdir)/recorder.conf.d $(confdir)/export.d
	@scripts/install-configuration Config/recorder.conf $(confdir)/recorder.conf

install-guide: ## Install what belongs to the guide
	@test -x $(programs)/cyclometer-guide || { test -z "$(PROGRAMS)" && $(MAKE) build; }
	install -D -m 755 $(programs)/cyclometer-guide $(sbindir)/cyclometer-guide
	@scripts/install-into $(with_prefix) $(unitdir) $(guide_units)
	install -D -m 644 systemd/guide/cyclometer-guide.sysusers.conf $(sysusersdir)/cyclometer-guide.conf
	@for page in $(guide_man_pages); do scripts/install-into "$(mandir)/man$${page##*.}" "$$page" || exit 1; done
	install -d $(confdir)/guide.conf.d
	@scripts/install-configuration Config/guide.conf $(confdir)/guide.conf

install-web: ## Install what belongs to the dashboard
	@test -x $(programs)/cyclometer-web || { test -z "$(PROGRAMS)" && $(MAKE) build; }
	install -D -m 755 $(programs)/cyclometer-web $(sbindir)/cyclometer-web
	@scripts/install-into $(with_prefix) $(unitdir) $(web_units)
	install -D -m 644 systemd/web/cyclometer-web.sysusers.conf $(sysusersdir)/cyclometer-web.conf
	@for page in $(web_man_pages); do scripts/install-into "$(mandir)/man$${page##*.}" "$$page" || exit 1; done
	@for file in $(page_files); do scripts/install-page-file "$$file" "$(sharedir)/web/$${file#Sources/Page/}" || exit 1; done
	@scripts/install-into $(webdocdir)/examples Config/front/*
	install -d $(confdir)/web.conf.d
	@scripts/install-configuration Config/web.conf $(confdir)/web.conf

install-mqtt: ## Install what belongs to the bridge to an MQTT broker
	@test -x $(programs)/cyclometer-mqtt || { test -z "$(PROGRAMS)" && $(MAKE) build; }
	install -D -m 755 $(programs)/cyclometer-mqtt $(sbindir)/cyclometer-mqtt
	@scripts/install-into $(with_prefix) $(unitdir) $(mqtt_units)
	install -D -m 644 systemd/mqtt/cyclometer-mqtt.sysusers.conf $(sysusersdir)/cyclometer-mqtt.conf
	install -D -m 644 systemd/mqtt/cyclometer-mqtt.tmpfiles.conf $(tmpfilesdir)/cyclometer-mqtt.conf
	@for page in $(mqtt_man_pages); do scripts/install-into "$(mandir)/man$${page##*.}" "$$page" || exit 1; done
	install -d $(confdir)/mqtt.conf.d
	@scripts/install-configuration Config/mqtt.conf $(confdir)/mqtt.conf

install-kiosk: ## Install what shows the dashboard on this computer's own screen
	@scripts/install-into $(libexecdir) $(call unit_programs_in,systemd/kiosk)
	@scripts/install-into $(with_prefix) $(unitdir) $(kiosk_units)
	install -D -m 644 systemd/kiosk/cyclometer-kiosk.sysusers.conf $(sysusersdir)/cyclometer-kiosk.conf

install-clients: ## Install clients for Swift, Python, Node and C, the protocol and its schemas
	install -D -m 644 clients/c/cyclometer.h $(includedir)/cyclometer.h
	install -D -m 644 clients/c/cyclometer_plugin.h $(includedir)/cyclometer_plugin.h
	@mkdir -p $(pkgconfigdir)
	sed 's|@PREFIX@|$(PREFIX)|; s|@RELEASE@|'"$$(scripts/release)"'|' clients/c/cyclometer.pc.in >$(pkgconfigdir)/cyclometer.pc
	@chmod 644 $(pkgconfigdir)/cyclometer.pc
	install -D -m 644 clients/python/cyclometer/__init__.py $(pythondir)/cyclometer/__init__.py
	install -D -m 644 clients/python/cyclometer/kinds.py $(pythondir)/cyclometer/kinds.py
	install -D -m 644 clients/python/cyclometer/py.typed $(pythondir)/cyclometer/py.typed
	install -D -m 644 clients/python/cyclometer_plugin.py $(pythondir)/cyclometer_plugin.py
	@scripts/install-into $(sharedir)/cyclometer-client clients/swift/Package.swift
	@for file in $$(find $(addprefix Sources/,$(swift_modules)) -type f); do \
	  install -D -m 644 "$$file" "$(sharedir)/cyclometer-client/$$file" || exit 1; done
	@scripts/install-into $(sharedir)/schema docs/schema/*.json
	@for file in $(conformance); do \
	  install -D -m 644 "$$file" "$(sharedir)/conformance/$${file#Tests/Conformance/}" || exit 1; done
	install -m 755 Tests/Conformance/cyclo-conformance $(sharedir)/conformance/cyclo-conformance
	@scripts/install-into $(devdocdir) docs/protocol.md clients/README.md
	@scripts/install-into $(devdocdir)/examples/c clients/c/example*.c
	@scripts/install-into $(devdocdir)/examples/python clients/python/example*.py
	@scripts/install-into $(devdocdir)/examples/node clients/node/cyclometer.js clients/node/example.js
	@scripts/install-into $(devdocdir)/examples/shell clients/shell/*
	@scripts/install-into $(devdocdir)/examples clients/bottle.sensor
	@scripts/install-into $(devdocdir)/examples/magene clients/magene/*
	@scripts/install-into $(devdocdir)/examples/mqtt clients/mqtt/*.py
	@scripts/install-into $(devdocdir)/examples/swift clients/swift/*/*.swift

uninstall: ## Remove what was installed; keep configuration and state
	rm -f $(bindir)/cyclo $(addprefix $(sbindir)/,cyclometerd cyclometer-recorder cyclometer-guide cyclometer-web cyclometer-mqtt)
	rm -f $(foreach name,cyclometer cyclometer-recorder cyclometer-guide cyclometer-web cyclometer-mqtt cyclometer-kiosk,$(sysusersdir)/$(name).conf) $(foreach name,recorder mqtt,$(tmpfilesdir)/cyclometer-$(name).conf)
	rm -f $(addprefix $(unitdir)/,$(notdir $(units) $(recorder_units) $(guide_units) $(web_units) $(mqtt_units) $(kiosk_units)))
	rm -f $(bash_completion) $(zsh_completion) $(fish_completion)
	rm -f $(foreach page,$(man_pages) $(recorder_man_pages) $(guide_man_pages) $(web_man_pages) $(mqtt_man_pages),$(mandir)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(addprefix $(sensorsdir)/,$(notdir $(sensor_files)))
	rm -f $(includedir)/cyclometer.h $(includedir)/cyclometer_plugin.h $(pkgconfigdir)/cyclometer.pc $(pythondir)/cyclometer_plugin.py
	rm -rf $(pythondir)/cyclometer $(libexecdir) $(docdir) $(devdocdir) $(webdocdir) $(sharedir)
	@echo "Kept: $(confdir), /var/lib/cyclometer, /var/lib/cyclometer-recorder, /var/lib/cyclometer-guide, /var/lib/cyclometer-web, /var/lib/cyclometer-mqtt"

package_suffix = _$(shell scripts/release --debian)_$(machine)
deb: $(if $(filter $(machine),$(or $(ARCH),$(machine))),build) ## Build the Debian packages, into .build/packages
# Other architectures are cross-built, and packaged with the tools of Debian 13.
ifeq ($(or $(ARCH),$(machine)),$(machine))
	@scripts/install-dependencies package
	scripts/package $(machine) $(release) .build/packages
	@for name in cyclometer cyclometer-recorder cyclometer-guide cyclometer-web cyclometer-mqtt; do file=.build/packages/$${name}$(package_suffix); \
	  echo "scripts/bill-of-materials --package $$file.deb"; \
	  scripts/bill-of-materials --package "$$file.deb" $(release) >"$$file.spdx.json" || exit 1; done
else ifeq ($(ARCH),arm64)
	scripts/arm64/build
	scripts/arm64/package
else
	@echo "make deb: cannot build for $(ARCH) on $(machine): only arm64 is supported" >&2; exit 2
endif

release-flags: # for scripts/arm64/build
	@echo $(release_flags)

build-arm64: ## Build the release programs for arm64, into .build/arm64/programs
	scripts/arm64/build

test-arm64: ## Install the arm64 package on an emulated arm64 and simulate a ride
	scripts/arm64/test

dist: ## Make the source archive, its bill of materials and checksums, in .build/dist
	@scripts/install-dependencies package
	scripts/dist .build/dist

reproduce: ## Build the packages twice, in two folders, and compare them
	@scripts/install-dependencies package
	scripts/reproduce

format: ## Format the Swift sources
	swift format --in-place --recursive --parallel Package.swift Sources Tests $(addprefix Fuzz/,Package.swift Sources) $(addprefix Benchmarks/,Package.swift Sources) clients

accept: $(if $(MEASURED),build) ## Regenerate everything that is generated from the code; read the diff before you commit it
	@scripts/install-dependencies build test $(if $(MEASURED),bench)
	scripts/accept-captures
	scripts/accept-pages
	scripts/accept-snapshots
	scripts/accept-pictures
	scripts/accept-drawings
	scripts/accept-client-types
	Tests/Guide/follow --accept
	@# Measurements of this machine.
	$(if $(MEASURED),scripts/accept-link-order)
	$(if $(MEASURED),Benchmarks/budgets --accept)

soundness: ## Check format, imports, lengths, words and what the programs link
	@scripts/soundness

clean: ## Remove what was built
	rm -rf .build
