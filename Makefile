# schedGPU for Slurm: the commands people type. All of them end in one Maven reactor (pom.xml), which
# builds the C modules with their Makefile.native.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
MVN := mvn -B -ntp
NATIVE := libschedgpu spank-plugin-c slurm-prolog slurm-epilog python

.PHONY: help build test test-java test-native demo demo-pytorch demo-lanes papers papers-page frameworks bench scale soak gpu-bundle gpu-check loads model mutants stress install install-only conf-pages option-pages \
  packages packages-test packages-reproducible release release-test upgrade-test matrix site format check-format clean deps deps-build deps-packages
help:
	@echo "make demo      twelve jobs share one GPU under a real Slurm (a few minutes)"
	@echo "make demo-pytorch  the same with twelve trainings by PyTorch, 589 MB to download"
	@echo "make demo-lanes  jobs take turns on one emulated GPU, without Slurm (a minute)"
	@echo "make papers    tables and figures of the papers beside ours, simulated (minutes)"
	@echo "make frameworks  llama.cpp, libtorch and PyTorch on the emulated GPU (downloads 198 + 482 + 589 MB once; minutes)"
	@echo "make bench     costs beside their limits, the paper's Figure 9 (minutes)"
	@echo "make test      everything that is tested, gates included (a quarter of an hour)"
	@echo "make gpu-check  what holds on this machine's GPU (on the emulator where there is none; minutes)"
	@echo "make gpu-bundle the same as a bundle for a machine without Slurm and JDK"
	@echo "make loads     which version of glibc each shipped file needs, x86-64 and aarch64 (cross-built; minutes)"
	@echo "make model     lock, wake-up, leases and turns, every state of a small node (spin; seven minutes)"
	@echo "make mutants   planted defects: each must be caught by its test (minutes)"
	@echo "make stress    T=10m: tormented processes on one region (default 60s)"
	@echo "make scale     T=10m RATE=500: a full node under load, the machine for itself"
	@echo "make soak      T=1h RATE=20: the same for long, with the agent's memory curve"
	@echo "make build     build all parts"
	@echo "make install   DESTDIR=... PREFIX=$(PREFIX) LIBDIR=..."
	@echo "make packages .deb, .rpm and the source archive, into target/packages"
	@echo "make packages-test [ON='bookworm trixie forky'] installs them in fresh chroots (root, network; minutes each)"
	@echo "make packages-reproducible  builds all of them twice and compares the bytes (minutes)"
	@echo "make release VERSION=...  [OPTIONS='--key KEY'] everything of a release: packages for apt and dnf, sums (minutes)"
	@echo "make release-test [ON=bookworm] installs what make release made in fresh chroots (root, network; minutes each)"
	@echo "make matrix    [ON='bookworm trixie forky'] everything on the Slurm of these Debians (root, network; an hour each)"
	@echo "make matrix ON=sid-containers  [ENROOT=... PYXIS=...] jobs in containers of Debian sid's runtimes"
	@echo "make upgrade-test FROM=COMMIT  an upgrade from a commit while programs run (minutes)"
	@echo "make site      the documentation as web pages with a search, into target/site (seconds)"
	@echo "make format    format C and Java        make clean   remove what was built"

deps:
	@build-support/install-deps
deps-build:
	@build-support/install-deps build
deps-packages:
	@build-support/install-deps build packages

# These also need a Slurm, pictures, or what tests need.
demo demo-pytorch demo-lanes papers papers-page bench scale soak upgrade-test: deps
build: deps-build
	@echo "building (the first time Maven fetches what it needs) ..."
	@build-support/quietly progress target/build.log $(MVN) -DskipTests package

# The C tests run beside the Java tests, most of which wait for Slurm. Both run to their end, whatever
# fails; the summary names it.
test: deps check-format
	@rm -rf target/tests */target/native/results lab/*/target/native/results */target/surefire-reports lab/*/target/surefire-reports
	@echo "building the C modules ..."
	@build-support/quietly progress target/build-native.log build-support/native all
	@build-support/within 45 target/tests/java.log $(MAKE) --no-print-directory -k -j2 test-native test-java; \
	  build-support/summary $$?

# No part of another make's jobs: what these start has jobs of its own, or none.
test-java:
	@env -u MAKEFLAGS -u MFLAGS build-support/quietly tests target/tests/java.log $(MVN) -T 2 -fae -DskipNativeTests spotless:check verify
test-native:
	@env -u MAKEFLAGS -u MFLAGS build-support/native-tests

T ?= 60s
stress: deps
	@$(MAKE) --no-print-directory -C libschedgpu -f Makefile.native stress T=$(T)

demo: build
	@lab/demo/src/main/sh/demo
# Twelve trainings by a real PyTorch instead (589 MB to download, once); mathematics emulated, too.
demo-pytorch: build
	@DEMO_PROGRAMS=pytorch lab/demo/src/main/sh/demo
# Lanes: who has the turn when (docs/how-to/share-a-gpu-in-turns.md). No Slurm.
demo-lanes: build
	@lab/demo/src/main/sh/demo-lanes

# Tables and figures of the papers, simulated (docs/explanation/papers.md).
papers: build
	@lab/papers/src/main/sh/papers
papers-page: build
	@lab/papers/src/main/sh/papers --update-page

# Real frameworks on the emulated GPU (docs/explanation/frameworks-tested.md).
frameworks: build
	@lab/frameworks/install-deps
	@lab/frameworks/run
	@echo "PyTorch under Slurm (ten minutes) ..."
	@FRAMEWORKS=all build-support/quietly progress target/frameworks-slurm.log $(MVN) -pl integration-tests -am -DskipNativeTests \
	  -Dtest=PyTorchTest -Dsurefire.failIfNoSpecifiedTests=false test
	@echo "passed"

bench: build
	@lab/bench/src/main/sh/bench

# A full node under load; no Slurm, no GPU (docs/explanation/performance.md).
scale soak: build
	@lab/bench/src/main/sh/full-node $@ $(if $(filter command line environment,$(origin T)),-t $(T)) \
	  $(if $(RATE),-r $(RATE)) $(if $(IDLE),-i $(IDLE))

# What holds on a real GPU (docs/how-to/check-a-gpu.md). OPTIONS: of the runner, as --budget 3m.
gpu-bundle: build
	@lab/gpu-check/src/main/sh/bundle
gpu-check: build
	@lab/gpu-check/src/main/sh/check $(OPTIONS)

# The table of docs/how-to/install.md.
loads: build
	@build-support/loads aarch64

# The protocols checked by spin, exhaustively (docs/explanation/model.md). Nothing else needs spin.
model:
	@lab/verification/spin/install-deps
	@lab/verification/spin/run

# Planted defects, each caught by a named test (libschedgpu/tests/mutants).
mutants: deps
	@libschedgpu/tests/mutants/run

# The reference, manual page and example of schedgpu.conf, from its table of keys.
conf-pages:
	@$(MAKE) --no-print-directory -s -C libschedgpu -f Makefile.native conf-pages

# Manual pages and the help of `schedgpu run`, from the table of a job's options.
option-pages:
	@$(MAKE) --no-print-directory -s -C libschedgpu -f Makefile.native option-pages

# The pages of the repository and the manual pages (packaging/site); asks for Debian's mkdocs, mkdocs-material, mandoc.
site: deps
	@packaging/site/make-site

check-format: deps
	@build-support/check-format

format: deps
	@clang-format -i $$(git ls-files '*.c' '*.h')
	@$(MVN) -q spotless:apply

install: build install-only

# Installs what is built.
install-only:
	@for m in $(NATIVE); do \
	  $(MAKE) --no-print-directory -C $$m -f Makefile.native install \
	    DESTDIR=$(abspath $(DESTDIR)) PREFIX=$(PREFIX) LIBDIR=$(LIBDIR) || exit 1; done
	@DESTDIR=$(abspath $(DESTDIR)) PREFIX=$(PREFIX) node-agent/src/main/sh/install-command node-agent/target
	@install -d $(abspath $(DESTDIR))$(PREFIX)/share/doc/schedgpu/examples
	@install -m 644 LICENSE NOTICE $(abspath $(DESTDIR))$(PREFIX)/share/doc/schedgpu/
	@install -m 644 etc/schedgpu.conf.example etc/plugstack.conf.example \
	  $(abspath $(DESTDIR))$(PREFIX)/share/doc/schedgpu/examples/
	@for f in enroot/50-schedgpu.sh oci/schedgpu-bundle; do install -D -m 755 etc/$$f \
	  $(abspath $(DESTDIR))$(PREFIX)/share/doc/schedgpu/examples/$$f || exit 1; done
	@for f in grafana/schedgpu.json prometheus/schedgpu.rules.yml; do \
	  install -D -m 644 etc/$$f $(abspath $(DESTDIR))$(PREFIX)/share/schedgpu/$$f || exit 1; done

# docs/how-to/install-packages.md
packages: deps-packages
	@packaging/packages
ON ?= bookworm trixie forky
packages-test: build
	@packaging/test/run $(ON)
# docs/how-to/release.md; release-test installs what it made.
release-test: build
	@RELEASE=$(abspath $(lastword $(sort $(wildcard target/release/*)))) packaging/test/run $(or $(ON),bookworm)
release: build deps-packages
	@packaging/release $(or $(VERSION),$(error which version? make release VERSION=$(shell packaging/version))) $(OPTIONS)
packages-reproducible: deps-packages
	@packaging/test/reproducible
# What holds on other releases of Slurm, in chroots; the table (CONTRIBUTING.md).
matrix: deps
	@[ -z "$(filter-out arm64,$(ON))" ] || build-support/matrix/run $(filter-out arm64,$(ON))
	@[ -z "$(filter arm64,$(ON))" ] || build-support/matrix/arm64
# An upgrade from a commit while programs run (no Slurm, GPU emulated).
FROM ?= 86637575
upgrade-test: build
	@packaging/test/upgrade $(FROM)

clean:
	@rm -rf target */target lab/*/target
