# `make` alone lists what there is. The work is done by .ci/setup, which also runs without make.

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

run:  ## set up fsops in .venv and run the quickstart process
	@sh .ci/setup run $(ARGS)

gui:  ## set up fsops in .venv and open the designer; with a process: make gui ARGS=processes/mrmr.xml
	@sh .ci/setup gui $(ARGS)

test:  ## set up fsops in .venv and run the tests but the slow ones; some tests: make test ARGS="-k xml"
	@sh .ci/setup test $(ARGS)

complete:  ## run all tests, also the slow ones; all of a folder: make complete ARGS=tests/engine
	@sh .ci/setup complete $(ARGS)

times:  ## run the tests as "make test" does, and report the time by folder
	@sh .ci/setup times $(ARGS)

bare:  ## run all tests without PyQt6, which is taken out of .venv if it is there
	@sh .ci/setup bare $(ARGS)

lint:  ## check style and unsafe calls (ruff), types (mypy), layers (import-linter) and licenses
	@sh .ci/setup lint

audit:  ## look for known vulnerabilities of the installed packages (pip-audit); needs the internet
	@sh .ci/setup audit $(ARGS)

docs:  ## build the documentation site in docs/_build/html; warnings are errors
	@sh .ci/setup docs $(ARGS)

lowest:  ## run tests with the lowest versions of all packages that pyproject.toml allows
	@sh .ci/setup lowest $(ARGS)

changes:  ## show the notes in changes/ as the changelog will have them
	@sh .ci/setup changes $(ARGS)

release:  ## build the site, sdist, wheel, license report and bill of materials into dist/
	@sh .ci/setup release $(ARGS)

identical:  ## run every process and compare the SHA-256 of its results with the recorded ones
	@sh .ci/setup identical $(ARGS)

soak:  ## run random processes with faults for some minutes: make soak MINUTES=30
	@sh .ci/setup soak --minutes $(or $(MINUTES),30) $(ARGS)

clean:  ## remove .venv, caches and built packages
	@rm -rf .venv .venv-lowest build dist docs/_build docs/operators *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find fsops gui tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

.PHONY: help run gui test complete times bare lint audit docs lowest changes release identical soak clean
